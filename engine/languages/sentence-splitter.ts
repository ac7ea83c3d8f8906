import { type LanguagePack, languagePack } from './language-packs.ts';
import { wordsOf } from './words.ts';

/**
 * From this number of words on, a streamed text's first piece may end at a clause. Its audio is longer than the model
 * needs for the rest of the sentence.
 */
const FIRST_CLAUSE_WORDS_MIN = 4;
/** A longer sentence is cut at its last clause, or at its last word. */
const SENTENCE_CHARACTERS_MAX = 300;

/**
 * Sentence end: a mark, closing quotes or brackets, then white space; “ and « close a quotation in German. CJK marks need no
 * white space, and “ after one opens a quotation.
 */
const SENTENCE_END = /(?:[.!?…]+["'”“’‘»«)\]]*(?=\s)|[。！？]["'”’»)\]」]*|\n)/gu;
const CLAUSE_END = /[,;:–—](?=\s)/gu;

/**
 * Splits a streamed text into sentences. The result does not depend on the boundaries of the pieces. At most
 * `SENTENCE_CHARACTERS_MAX` are buffered.
 */
export class SentenceSplitter {
  #buffered = '';
  /** Until here every mark in the buffered text ends an abbreviation. */
  #judgedTo = 0;
  #first: boolean;
  readonly #language: LanguagePack;

  /** @param isStreamed the text is being written: its first piece may end at a clause, see `FIRST_CLAUSE_WORDS_MIN` */
  constructor(languageTag: string, isStreamed = true) {
    this.#language = languagePack(languageTag);
    this.#first = isStreamed;
  }

  /** Adds the next piece. @returns the sentences that are complete now */
  push(text: string): readonly string[] {
    const sentences: string[] = [];
    // One character at a time: the result must not depend on the boundaries of the pieces.
    for (const character of text) {
      this.#buffered += character;
      const end = this.#cutIndex();
      if (end > 0) sentences.push(...this.#take(end));
    }
    return sentences;
  }

  /** Ends the text. @returns the rest */
  end(): readonly string[] {
    return this.#take(this.#buffered.length);
  }

  #take(end: number): readonly string[] {
    const sentence = this.#buffered.slice(0, end).trim();
    this.#buffered = this.#buffered.slice(end).trimStart();
    this.#judgedTo = 0;
    if (sentence === '') return [];
    this.#first = false;
    return [sentence];
  }

  /** Index at which the buffered text can be cut; 0: it cannot. */
  #cutIndex(): number {
    const last = this.#buffered.at(-1) ?? '';
    if (this.#buffered.length >= SENTENCE_CHARACTERS_MAX) return lastClause(this.#buffered);
    if (!/[\s。！？]/.test(last)) return 0;
    for (const match of this.#buffered.slice(this.#judgedTo).matchAll(SENTENCE_END)) {
      const end = this.#judgedTo + match.index + match[0].length;
      if (!this.#isAbbreviation(this.#buffered.slice(0, end))) return end;
      this.#judgedTo = end;
    }
    return this.#first ? firstClause(this.#buffered) : 0;
  }

  #isAbbreviation(text: string): boolean {
    if (!text.endsWith('.')) return false;
    const word = /\S+$/.exec(text.slice(0, -1))?.[0].replace(/^["'“‘„‚«»([]+/, '') ?? '';
    if (/^\d+$/.test(word)) return this.#language.ordinalStop;
    // A single letter is an initial, except «I» at the end of a sentence.
    if (/^\p{L}$/u.test(word)) return word !== 'I';
    return this.#language.abbreviations.has(word.toLowerCase());
  }
}

/** The sentences of a complete text. Only a very long one is cut at a clause. */
export function splitSentences(text: string, languageTag: string): readonly string[] {
  const splitter = new SentenceSplitter(languageTag, false);
  return [...splitter.push(text), ...splitter.end()];
}

function firstClause(text: string): number {
  for (const match of text.matchAll(CLAUSE_END)) {
    if (wordsOf(text.slice(0, match.index)).length >= FIRST_CLAUSE_WORDS_MIN) return match.index + 1;
  }
  return 0;
}

function lastClause(text: string): number {
  const clause = [...text.matchAll(CLAUSE_END)].at(-1);
  if (clause !== undefined) return clause.index + 1;
  const space = text.lastIndexOf(' ');
  return space > 0 ? space : text.length;
}
