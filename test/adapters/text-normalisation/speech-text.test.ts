import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSpeechText,
  SPEECH_TEXT_VERSION,
  type SpeechTextOptions,
} from '../../../adapters/text-normalisation/speech-text.ts';

function say(text: string, language = 'en', options: Partial<SpeechTextOptions> = {}): string {
  return createSpeechText({ language, voiceNormalisesText: false, pronunciations: [], ...options })(text).spoken;
}

describe('markup and pictures', () => {
  it.each([
    ['**Hello**, _dear_ ~~old~~ `friend`', 'Hello, dear old friend'],
    ['# Menu\n- soup\n- bread', 'Menu, soup, bread'],
    ['1. soup', 'one. soup'],
    ['See [our menu](https://example.com/a_b?c=1).', 'See our menu.'],
    ['![logo](logo.png) Welcome', 'logo Welcome'],
    ['Great 🎉👩‍👩‍👧 news 🇫🇷 1️⃣', 'Great news one'],
    ['Two  spaces\tand a tab', 'Two spaces and a tab'],
    ['snake_case and 3*4', 'snake case and three four'],
    ['> quoted', 'quoted'],
    ['soft\u00adhyphen, zero\u200bwidth, bell\u0007', 'softhyphen, zerowidth, bell'],
    ['<break time="9s"/>', 'break time "nine s"/'],
    ['🙂', ''],
    ['***', ''],
    ['', ''],
  ])('are not spoken: %j', (text, spoken) => {
    expect(say(text)).toBe(spoken);
  });

  it('are not spoken by a voice that reads numbers itself, nor in an unknown language', () => {
    const text = '**12** 🙂';
    expect(say(text, 'en', { voiceNormalisesText: true })).toBe('12');
    expect(say(text, 'ja')).toBe('12');
  });
});

describe('addresses are spelled', () => {
  it.each([
    ['en', 'Write to jane.doe-2@mail.example.com.', 'Write to jane dot doe dash two at mail dot example dot com.'],
    ['en', 'https://www.example.com/menu?a=1#b, now', 'example dot com slash menu, now'],
    ['en', 'http://example.com:80/menu', 'example dot com colon eight zero slash menu'],
    ['en', 'example.org is ours', 'example dot org is ours'],
    ['de', 'info@firma.de', 'info ät firma Punkt de'],
    ['fr', 'jean_paul@exemple.fr', 'jean tiret bas paul arobase exemple point fr'],
    ['es', 'www.ejemplo.es', 'ejemplo punto es'],
    ['it', 'ciao@esempio.it', 'ciao chiocciola esempio punto it'],
    ['pt', 'ola@exemplo.pt', 'ola arroba exemplo ponto pt'],
    ['nl', 'hallo@voorbeeld.nl', 'hallo apenstaartje voorbeeld punt nl'],
  ])('%s: %j', (language, text, spoken) => {
    expect(say(text, language)).toBe(spoken);
    expect(say(text, language, { voiceNormalisesText: true })).toBe(spoken);
  });

  it('a full stop without a space does not make an address', () => {
    expect(say('Yes.No', 'en')).toBe('Yes.No');
  });
});

describe('numbers in English', () => {
  it.each([
    ['0', 'zero'],
    ['21 and 342', 'twenty-one and three hundred forty-two'],
    ['1,250,000', 'one million two hundred fifty thousand'],
    ['3.14', 'three point one four'],
    ['-5', 'minus five'],
    ['007', 'zero zero seven'],
    ['12345678', 'one two three, four five six, seven eight'],
    ['in 1999, 2005, 2025, 1900', 'in nineteen ninety-nine, two thousand five, twenty twenty-five, nineteen hundred'],
    ['the 1st, 2nd, 3rd, 12th, 20th and 101st', 'the first, second, third, twelfth, twentieth and one hundred first'],
    ['room B12, code A4B789', 'room B twelve, code A four B seven eight nine'],
    ['10-12 people', 'ten to twelve people'],
    ['50% off', 'fifty percent off'],
    ['it is -2.5°C', 'it is minus two point five degrees'],
    ['#5', 'number five'],
    ['$45.50', 'forty-five dollars and fifty cents'],
    ['$1, $0.01, £2.50', 'one dollar, one cent, two pounds and fifty pence'],
    ['$5 million', 'five million dollars'],
    ['$5M, $1.2bn or 40k €', 'five million dollars, one point two billion dollars or forty thousand euros'],
    ['$5 more', 'five dollars more'],
    ['1,200 EUR', 'one thousand two hundred euros'],
    ['7:30 pm', 'seven thirty p m'],
    ['7 p.m. or 9am', 'seven p m or nine a m'],
    ['at 12:05', 'at twelve oh five'],
    ['at 8:00', "at eight o'clock"],
    ['2025-05-02', 'May second, twenty twenty-five'],
    ['May 2, 2025', 'May second, twenty twenty-five'],
    ['on 2 May', 'on May second'],
    ['you may 2 times', 'you may two times'],
    [
      '24/12/2026 or 12/24/2026',
      'December twenty-fourth, twenty twenty-six or December twenty-fourth, twenty twenty-six',
    ],
    ['99/99/2025', 'nine nine, nine nine, two zero two five'],
    ['+1 (415) 555-0123', 'plus one, four one five, five five five, zero one two three'],
    ['555-0123', 'five five five, zero one two three'],
    ['Dr. Smith & Mr. Jones, etc.', 'Doctor Smith and Mister Jones, et cetera'],
    ['e.g. this', 'for example this'],
  ])('%j', (text, spoken) => {
    expect(say(text)).toBe(spoken);
  });

  it('reads the day first except in America, unless the date is valid only the other way', () => {
    expect(say('3/4/2025', 'en-US')).toBe('March fourth, twenty twenty-five');
    expect(say('3/4/2025', 'en-GB')).toBe('April third, twenty twenty-five');
    expect(say('13/4/2025', 'en-US')).toBe('April thirteenth, twenty twenty-five');
    expect(say('4/13/2025', 'en-GB')).toBe('April thirteenth, twenty twenty-five');
  });
});

describe('numbers in other languages', () => {
  it.each([
    ['de', '0, 1, 21, 101, 1001', 'null, eins, einundzwanzig, einhunderteins, eintausendeins'],
    ['de', '1.000.001', 'eine Million eins'],
    ['de', 'am 3. Mai 2025', 'am dritten Mai zweitausendfünfundzwanzig'],
    ['de', '03.10.1990', 'dritter Oktober neunzehnhundertneunzig'],
    [
      'de',
      '24/12/2026, 12/24/2026',
      'vierundzwanzigster Dezember zweitausendsechsundzwanzig, vierundzwanzigster Dezember zweitausendsechsundzwanzig',
    ],
    ['de', 'um 14:30 Uhr', 'um vierzehn Uhr dreißig'],
    ['de', 'von 8.00 Uhr bis 14.30 Uhr, 8.00 Euro', 'von acht Uhr bis vierzehn Uhr dreißig, acht Komma null null Euro'],
    ['nl', 'om 8.15 uur', 'om acht uur vijftien'],
    ['de', '1.250,50 €', 'eintausendzweihundertfünfzig Euro und fünfzig Cent'],
    ['de', '1 €', 'ein Euro'],
    ['de', '2,5 Mio. € und 3 Millionen Euro', 'zwei Komma fünf Millionen Euro und drei Millionen Euro'],
    ['de', '0171 2345678', 'null eins sieben eins, zwei drei vier, fünf sechs sieben acht'],
    ['de', 'z.B. 3,5 %', 'zum Beispiel drei Komma fünf Prozent'],
    [
      'fr',
      '71, 80, 81, 91, 99',
      'soixante et onze, quatre-vingts, quatre-vingt-un, quatre-vingt-onze, quatre-vingt-dix-neuf',
    ],
    ['fr', '200, 201, 1000, 2 000 000', 'deux cents, deux cent un, mille, deux millions'],
    ['fr', 'le 1er mai 2025 à 14h30', 'le premier mai deux mille vingt-cinq à quatorze heures trente'],
    ['fr', '06 12 34 56 78', 'zéro six, un deux, trois quatre, cinq six, sept huit'],
    ['fr', '2e, 5e, 9e', 'deuxième, cinquième, neuvième'],
    ['fr', '12,50 €', 'douze euros et cinquante centimes'],
    [
      'es',
      '16, 21, 31, 100, 101, 555',
      'dieciséis, veintiuno, treinta y uno, cien, ciento uno, quinientos cincuenta y cinco',
    ],
    ['es', '21.000, 1.000.000, 2.000.000.000', 'veintiún mil, un millón, dos mil millones'],
    ['es', '21 €', 'veintiún euros'],
    ['es', 'el 2 de mayo de 2025', 'el dos de mayo de dos mil veinticinco'],
    ['it', '21, 28, 33, 180, 1.000, 2.000', 'ventuno, ventotto, trentatré, centottanta, mille, duemila'],
    ['it', '1.000.000', 'un milione'],
    ['it', 'alle 14:30', 'alle quattordici e trenta'],
    [
      'pt',
      '100, 101, 121, 1.100, 1.234',
      'cem, cento e um, cento e vinte e um, mil e cem, mil duzentos e trinta e quatro',
    ],
    ['pt', 'R$ 45,50', 'quarenta e cinco reais e cinquenta centavos'],
    ['pt', '2 de maio', 'dois de maio'],
    ['nl', '22, 33, 121, 1.000', 'tweeëntwintig, drieëndertig, honderdeenentwintig, duizend'],
    ['nl', '1e, 8e, 23e', 'eerste, achtste, drieëntwintigste'],
    ['nl', 'om 14:30 uur', 'om veertien uur dertig'],
    ['nl', '€ 5,50', 'vijf euro en vijftig cent'],
  ])('%s: %j', (language, text, spoken) => {
    expect(say(text, language)).toBe(spoken);
  });

  it('stay unchanged if the voice reads them itself', () => {
    expect(say('Am 3. Mai kostet es 5 €.', 'de', { voiceNormalisesText: true })).toBe('Am 3. Mai kostet es 5 €.');
  });
});

describe('the pronunciation dictionary', () => {
  const dictionary = (entries: readonly (readonly [string, string])[]) => ({
    pronunciations: entries.map(([from, to]) => ({ from, to })),
  });

  it.each([
    [[['SQL', 'sequel']], 'SQL, sql and MySQL', 'sequel, sequel and MySQL'],
    [[['Łódź', 'woodge']], 'In łÓDŹ, not Łódźka', 'In woodge, not Łódźka'],
    [[['new york', 'the city']], 'New  York and new yorkers', 'the city and new yorkers'],
    [
      [
        ['New', 'old'],
        ['New York', 'the city'],
      ],
      'New York, new',
      'the city, old',
    ],
    [[['C++', 'see plus plus']], 'C++ or c++11', 'see plus plus or see plus plus eleven'],
    [
      [
        ['.*', 'everything'],
        ['(a|b)', 'group'],
        ['$&', 'match'],
      ],
      'a b .* (a|b) $& c',
      'a b everything group match c',
    ],
    [[['a', '$1 $& \\1']], 'a', '$1 $& \\1'],
    [
      [
        ['A', 'first'],
        ['a', 'second'],
      ],
      'a',
      'first',
    ],
    [[['  ', 'blank']], 'a  b', 'a b'],
    [[['straße', 'street']], 'Straße', 'street'],
    [[['AI', 'ay eye']], 'info@ai.com and AI', 'info at ai dot com and ay eye'],
  ] as const)('%j', (entries, text, spoken) => {
    expect(say(text, 'en', dictionary(entries))).toBe(spoken);
  });

  it('finds the right one of five hundred entries', () => {
    const entries = Array.from({ length: 500 }, (_, n) => [`word${n}x`, `said ${n}`] as const);
    expect(say('word7x word77x word777x', 'en', { ...dictionary(entries), voiceNormalisesText: true })).toBe(
      'said 7 said 77 word777x',
    );
  });
});

/** If this fails, the rules speak a text differently: raise the version and update the digest. */
it('the version of the rules changes with their output', () => {
  const text =
    '**Dr. Ott** 🙂 jane.doe@example.com, [here](https://a.example/b?c=1): 1,234.5 kg & 50% at 8:30, 3.5.2025, 05/04/2025, $5M, 12 €, +49 89 1234567, 2nd, example.com:81';
  const languages = ['en', 'en-GB', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'ja'];
  const spokenTexts = [true, false].flatMap((voiceNormalisesText) =>
    languages.map((language) =>
      say(text, language, { voiceNormalisesText, pronunciations: [{ from: 'Ott', to: 'Otto' }] }),
    ),
  );
  const digest = createHash('sha256').update(spokenTexts.join('\n')).digest('hex').slice(0, 16);
  expect({ version: SPEECH_TEXT_VERSION, digest }).toEqual({ version: 2, digest: '5f76c414cb6eacae' });
});
