/** One spelling of a number. */
export interface NumberWord {
  readonly word: string;
  readonly value: number;
}

/** The number words of one language, in lower case. Of several spellings of a number the usual one is first. */
export interface NumberWords {
  /** 0 to 9. */
  readonly digits: readonly NumberWord[];
  /** 10 to 19; in French to 16. */
  readonly teens: readonly NumberWord[];
  /** 20, 30, …, 90. */
  readonly tens: readonly NumberWord[];
  /** 21 to 99, as far as the language writes them as one word. */
  readonly compounds: readonly NumberWord[];
  /** 100, 200, …; 100 alone if the others are made of a digit and the word for 100. */
  readonly hundreds: readonly NumberWord[];
  readonly thousand: string;
  /** Between two parts of a number: «vingt et un». */
  readonly link: string;
}

/** Words in ascending order; a slash separates the spellings of one number. */
interface Lists {
  readonly digits: string;
  readonly teens: string;
  readonly tens: string;
  readonly hundreds: string;
  readonly thousand: string;
  readonly link: string;
  /** The spellings of tens and a digit from 1 to 9 as one word. */
  readonly compound?: (tens: string, digit: string) => readonly string[];
}

/** Spanish digits that take an accent after «veinti». */
const TWENTIES_ACCENTED = new Map([
  ['un', 'veintiún'],
  ['dos', 'veintidós'],
  ['tres', 'veintitrés'],
  ['seis', 'veintiséis'],
]);

export const ENGLISH_NUMBERS = numberWords({
  digits: 'zero/oh/nought/naught one two three four five six seven eight nine',
  teens: 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
  hundreds: 'hundred',
  thousand: 'thousand',
  link: 'and',
});

export const GERMAN_NUMBERS = numberWords({
  digits: 'null eins/ein zwei/zwo drei vier fünf sechs sieben acht neun',
  teens: 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  tens: 'zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig',
  hundreds: 'hundert',
  thousand: 'tausend',
  link: 'und',
  compound: (tens, digit) => (digit === 'eins' ? [] : [`${digit}und${tens}`]),
});

export const SPANISH_NUMBERS = numberWords({
  digits: 'cero uno/un dos tres cuatro cinco seis siete ocho nueve',
  teens: 'diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
  tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
  hundreds: `cien/ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos
    novecientos`,
  thousand: 'mil',
  link: 'y',
  compound: (tens, digit) => (tens === 'veinte' ? [TWENTIES_ACCENTED.get(digit) ?? `veinti${digit}`] : []),
});

export const FRENCH_NUMBERS = numberWords({
  digits: 'zéro/zero un deux trois quatre cinq six sept huit neuf',
  teens: 'dix onze douze treize quatorze quinze seize',
  tens: 'vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante',
  hundreds: 'cent/cents',
  thousand: 'mille',
  link: 'et',
});

export const ITALIAN_NUMBERS = numberWords({
  digits: 'zero uno/un due tre quattro cinque sei sette otto nove',
  teens: 'dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
  tens: 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
  hundreds: 'cento duecento trecento quattrocento cinquecento seicento settecento ottocento novecento',
  thousand: 'mille',
  link: 'e',
  compound: (tens, digit) => {
    if (digit === 'tre') return [`${tens}tré`, `${tens}tre`];
    // The final vowel of the tens is dropped before uno and otto.
    return [(/^[uo]/.test(digit) ? tens.slice(0, -1) : tens) + digit];
  },
});

export const DUTCH_NUMBERS = numberWords({
  digits: 'nul een/één twee drie vier vijf zes zeven acht negen',
  teens: 'tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
  tens: 'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
  hundreds: 'honderd',
  thousand: 'duizend',
  link: 'en',
  compound: (tens, digit) => (digit.endsWith('e') ? [`${digit}ën${tens}`, `${digit}en${tens}`] : [`${digit}en${tens}`]),
});

export const PORTUGUESE_NUMBERS = numberWords({
  digits: 'zero um/uma dois/duas três quatro cinco seis/meia sete oito nove',
  teens: `dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito
    dezenove/dezanove`,
  tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
  hundreds: `cem/cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos`,
  thousand: 'mil',
  link: 'e',
});

/** The usual word of a number; empty for a number that is no single word. */
export function usualWord({ digits, teens, tens, compounds, hundreds }: NumberWords): (value: number) => string {
  const usual = new Map<number, string>();
  for (const { value, word } of [...digits, ...teens, ...tens, ...compounds, ...hundreds])
    if (!usual.has(value)) usual.set(value, word);
  return (value) => usual.get(value) ?? '';
}

function numberWords({ compound, digits, teens, tens, hundreds, thousand, link }: Lists): NumberWords {
  const listedDigits = listed(digits, 0, 1);
  const listedTens = listed(tens, 20, 10);
  const compounds = listedTens.flatMap((ten) =>
    listedDigits
      .filter((digit) => digit.value > 0)
      .flatMap((digit) =>
        (compound?.(ten.word, digit.word) ?? []).map((word) => ({ word, value: ten.value + digit.value })),
      ),
  );
  return {
    digits: listedDigits,
    teens: listed(teens, 10, 1),
    tens: listedTens,
    compounds,
    hundreds: listed(hundreds, 100, 100),
    thousand,
    link,
  };
}

function listed(list: string, first: number, step: number): readonly NumberWord[] {
  return list
    .split(/\s+/)
    .flatMap((spellings, index) => spellings.split('/').map((word) => ({ word, value: first + index * step })));
}
