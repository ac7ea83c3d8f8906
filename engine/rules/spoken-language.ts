/**
 * What the rules know of a language as it is spoken on the phone. Words stand in lower case, as `wordsOf` gives them.
 */
export interface SpokenLanguage {
  /** Said to show that one listens; they do not take the floor. */
  readonly backchannels: ReadonlySet<string>;
  /** They take the floor at every sensitivity. */
  readonly stops: ReadonlySet<string>;
  /** Said over a goodbye; they do not take it back. */
  readonly farewells: ReadonlySet<string>;
  /** A turn that ends with one of these goes on: conjunctions, articles, hesitations. */
  readonly unfinished: ReadonlySet<string>;
  /** Spoken digits and the words of addresses and spellings: whoever dictates pauses. */
  readonly dictation: ReadonlySet<string>;
  /** They end in a full stop without ending a sentence. */
  readonly abbreviations: ReadonlySet<string>;
  /** A number with a full stop is an ordinal. */
  readonly ordinalStop: boolean;
  /** Said when the call cannot go on. */
  readonly apology: string;
}

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

const ENGLISH: SpokenLanguage = {
  backchannels: set('mhm mm-hmm mmhmm mm hm hmm uh-huh huh ok okay yeah yep yes right sure i see gotcha ah oh aha'),
  stops: set('stop wait no hold hang sorry pardon actually'),
  farewells: set('bye goodbye thanks thank you cheers ciao you too have a nice great good day one evening'),
  unfinished: set(
    'and or but because so then that the a an to of for with my is if um uh er erm well like at in on from',
  ),
  dictation: set(
    'zero oh one two three four five six seven eight nine double triple at dot dash underscore hyphen slash',
  ),
  abbreviations: set('mr mrs ms dr prof st ave rd vs no nr approx dept est ext inc ltd jr sr e.g i.e a.m p.m u.s'),
  ordinalStop: false,
  apology: 'I am sorry, something went wrong on our side. Please call again a little later. Goodbye.',
};

const FRENCH: SpokenLanguage = {
  backchannels: set("mhm hm mm ok okay oui ouais d'accord voilà bien ah euh-hum très je vois entendu"),
  stops: set('stop attendez attends non arrêtez pardon excusez'),
  farewells: set('au revoir merci bonne journée soirée à bientôt salut également vous aussi de même'),
  unfinished: set(
    'et ou mais parce que car donc puis le la les un une de du des à pour avec mon ma est si euh alors en chez',
  ),
  dictation: set('zéro un deux trois quatre cinq six sept huit neuf double arobase point tiret slash virgule'),
  abbreviations: set('m mm mme mlle dr pr st ste av bd no env ex etc p.ex c.-à-d'),
  ordinalStop: false,
  apology: 'Je suis désolé, un problème est survenu de notre côté. Merci de rappeler un peu plus tard. Au revoir.',
};

const GERMAN: SpokenLanguage = {
  backchannels: set('mhm hm mm ok okay ja jo jaja genau aha ah gut klar stimmt verstehe ich richtig'),
  stops: set('stopp stop warten warte moment nein halt entschuldigung'),
  farewells: set('tschüss tschüs wiedersehen wiederhören auf danke vielen dank schönen tag abend noch ihnen auch ciao'),
  unfinished: set(
    'und oder aber weil also dann dass der die das ein eine einen zu von für mit mein ist wenn äh ähm hm am im bei',
  ),
  dictation: set(
    'null eins ein zwei zwo drei vier fünf sechs sieben acht neun doppel at punkt strich unterstrich minus',
  ),
  abbreviations: set('hr fr dr prof st str nr ca bzw usw z.b d.h u.a tel inkl evtl ggf'),
  ordinalStop: true,
  apology: 'Es tut mir leid, bei uns ist etwas schiefgegangen. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
};

const SPANISH: SpokenLanguage = {
  backchannels: set('mhm hm mm ok okay sí ya vale claro bueno ajá ah entiendo exacto bien'),
  stops: set('para espera espere no alto perdón disculpe'),
  farewells: set('adiós gracias hasta luego chao igualmente buen buenas día tarde noches que tenga muchas'),
  unfinished: set('y o pero porque que entonces el la los las un una de del a para con mi es si eh este pues en por'),
  dictation: set('cero uno dos tres cuatro cinco seis siete ocho nueve doble arroba punto guion raya barra'),
  abbreviations: set('sr sra srta dr dra ud uds av avda núm no tel aprox etc p.ej'),
  ordinalStop: false,
  apology: 'Lo siento, ha habido un problema por nuestra parte. Por favor, llame un poco más tarde. Adiós.',
};

const LANGUAGES: ReadonlyMap<string, SpokenLanguage> = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
]);

/** By BCP 47 tag; the region does not matter, and a language that is not known is heard as English. */
export function spokenLanguage(tag: string): SpokenLanguage {
  const primary = tag.split('-')[0]?.toLowerCase() ?? '';
  return LANGUAGES.get(primary) ?? ENGLISH;
}
