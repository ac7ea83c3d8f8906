import type { ClauseWords } from './clause-words.ts';

/**
 * The words and phrases of one language that the rules use. They are in lower case and without punctuation, as `wordsOf`
 * returns them. The words of a phrase are separated by single spaces.
 */
export interface LanguagePack {
  /** Phrases that signal attention; they do not interrupt. */
  readonly backchannels: ReadonlySet<string>;
  /** Phrases that ask whether the agent is still there; they add nothing to what the user said. */
  readonly attentionCalls: ReadonlySet<string>;
  /** Phrases that interrupt at every sensitivity. */
  readonly stopPhrases: ReadonlySet<string>;
  /** Phrases that do not cancel a goodbye of the agent. */
  readonly farewells: ReadonlySet<string>;
  /** How sentences stay open, and how dictations are announced. */
  readonly clauses: ClauseWords;
  readonly dictation: DictationWords;
  /** Words whose full stop does not end a sentence. */
  readonly abbreviations: ReadonlySet<string>;
  /** A number with a full stop is an ordinal. */
  readonly ordinalStop: boolean;
  /** Spoken when a failure ends the call. */
  readonly apology: string;
  /** Spoken when the model returned an empty response. */
  readonly emptyResponseApology: string;
  /** Spoken during a long tool call. */
  readonly toolFiller: string;
  /** Spoken while the user waits for the model. */
  readonly thinkingFiller: string;
  readonly answeringMachine: AnsweringMachinePhrases;
}

/** Phrase patterns (`phrase-pattern.ts`) of answering machines that people rarely say. */
export interface AnsweringMachinePhrases {
  /** Introduces who or what has answered; machines begin like this, and people do. */
  readonly introduction: readonly string[];
  /** Announces a recording: a voicemail, regardless of other phrases. */
  readonly recording: readonly string[];
  /** Says that the callee is absent: a voicemail, unless a menu follows. */
  readonly absence: readonly string[];
  /** Asks for DTMF digits. */
  readonly menu: readonly string[];
  /** Asks for the name and the purpose of the call before the callee answers. */
  readonly screening: readonly string[];
  /** Network announcement: the callee cannot be reached. */
  readonly announcement: readonly string[];
  /** Asks to wait for the callee. */
  readonly pleaseWait: readonly string[];
}

/** Words of dictated digits, spellings, e-mail and street addresses. A user who dictates pauses within the turn. */
export interface DictationWords {
  /** The digits 0 to 9 and multipliers («double»). */
  readonly digits: ReadonlySet<string>;
  /** Numbers from ten on, as single words. */
  readonly numbers: ReadonlySet<string>;
  /** Words between two parts of a number («vingt et un»). */
  readonly numberLinks: ReadonlySet<string>;
  /** Digits and letters that are also everyday words: a dictation does not begin with them. */
  readonly ambiguous: ReadonlySet<string>;
  /** Words that stand for a letter («bravo»). */
  readonly alphabet: ReadonlySet<string>;
  /** Phrases between a letter and its word («as in»). */
  readonly letterLinks: ReadonlySet<string>;
  /** The @ of an e-mail address. */
  readonly atSign: ReadonlySet<string>;
  /** Other punctuation of addresses and numbers («dot»). */
  readonly marks: ReadonlySet<string>;
  readonly streets: ReadonlySet<string>;
  /** Endings of words that are whole street names («Hauptstraße»). */
  readonly streetEndings: readonly string[];
  /** The street's name follows the street word («calle Mayor») instead of preceding it («Main Street»). */
  readonly streetNameFollows: boolean;
}
