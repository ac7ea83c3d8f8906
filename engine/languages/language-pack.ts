import type { AnsweringMachinePhrases } from './answering-machine-phrases.ts';

/**
 * What the rules know of a language as it is spoken on the phone. Words and phrases stand in lower case and without
 * punctuation, as `wordsOf` gives them; a phrase's words are joined by single spaces.
 */
export interface LanguagePack {
  /** Phrases that signal attention; they do not interrupt. */
  readonly backchannels: ReadonlySet<string>;
  /** Phrases that interrupt at every sensitivity. */
  readonly stopPhrases: ReadonlySet<string>;
  /** Phrases said over a goodbye; they do not take it back. */
  readonly farewells: ReadonlySet<string>;
  /** Words after which a turn goes on: conjunctions, prepositions, articles, pronouns, hesitations. */
  readonly continuationWords: ReadonlySet<string>;
  readonly dictation: DictationWords;
  /** They end in a full stop without ending a sentence. */
  readonly abbreviations: ReadonlySet<string>;
  /** A number with a full stop is an ordinal. */
  readonly ordinalStop: boolean;
  /** Said when the call cannot go on. */
  readonly apology: string;
  /** Said where the model has no answer for the user. */
  readonly emptyResponseApology: string;
  /** Said while a function takes its time. */
  readonly toolFiller: string;
  /** Said while the model takes its time. */
  readonly thinkingFiller: string;
  readonly answeringMachine: AnsweringMachinePhrases;
}

/** How digits, spellings, e-mail and street addresses are said. A user who dictates pauses within the turn. */
export interface DictationWords {
  /** The digits 0 to 9 and what multiplies them («double»). */
  readonly digits: ReadonlySet<string>;
  /** Numbers from ten on, as single words. */
  readonly numbers: ReadonlySet<string>;
  /** They stand between two parts of a number («vingt et un»). */
  readonly numberLinks: ReadonlySet<string>;
  /** Digits and letters that are everyday words as well: a dictation does not begin with them. */
  readonly ambiguous: ReadonlySet<string>;
  /** Words that stand for a letter («bravo»). */
  readonly alphabet: ReadonlySet<string>;
  /** Phrases between a letter and its word («as in»). */
  readonly letterLinks: ReadonlySet<string>;
  /** The @ of an e-mail address. */
  readonly atSign: ReadonlySet<string>;
  /** The other marks of addresses and numbers («dot»). */
  readonly marks: ReadonlySet<string>;
  readonly streets: ReadonlySet<string>;
  /** A word that ends so is a street's whole name («Hauptstraße»). */
  readonly streetEndings: readonly string[];
  /** The street's name stands behind that word («calle Mayor»), not before it («Main Street»). */
  readonly streetNameFollows: boolean;
}
