import { type LanguagePack, languagePack } from './language-packs.ts';

/** From this length on, the first thing said may end at a clause: the user hears it sooner. */
const FIRST_CLAUSE_MIN_CHARACTERS = 40;
/** A sentence without an end is cut at its last clause, or else at its last word. */
const SENTENCE_MAX_CHARACTERS = 300;

/** The end of a sentence: its mark, what closes it, and the white space that proves it. CJK marks need no space. */
const SENTENCE_END = /(?:[.!?…]+["'”’»)\]]*(?=\s)|[。！？]["'”’»)\]」]*|\n)/gu;
const CLAUSE_END = /[,;:–—](?=\s)/gu;

/**
 * Cuts a text that arrives in pieces into what is spoken one after another. The same text gives the same cuts, however
 * it was split on the way. At most `SENTENCE_MAX_CHARACTERS` are kept.
 */
export class SentenceSplitter {
  #kept = '';
  #first = true;
  readonly #language: LanguagePack;

  constructor(languageTag: string) {
    this.#language = languagePack(languageTag);
  }

  /** Takes the next piece; gives the sentences that are whole now. */
  push(text: string): readonly string[] {
    const sentences: string[] = [];
    // One character at a time, so that where the pieces end makes no difference.
    for (const character of text) {
      this.#kept += character;
      const end = this.#cut();
      if (end > 0) sentences.push(...this.#take(end));
    }
    return sentences;
  }

  /** The text is whole: what is left of it. */
  end(): readonly string[] {
    return this.#take(this.#kept.length);
  }

  #take(end: number): readonly string[] {
    const sentence = this.#kept.slice(0, end).trim();
    this.#kept = this.#kept.slice(end).trimStart();
    if (sentence === '') return [];
    this.#first = false;
    return [sentence];
  }

  /** Where the kept text can be cut, 0 where it cannot. */
  #cut(): number {
    const last = this.#kept.at(-1) ?? '';
    if (this.#kept.length >= SENTENCE_MAX_CHARACTERS) return lastClause(this.#kept);
    if (!/[\s。！？]/.test(last)) return 0;
    for (const match of this.#kept.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      if (!this.#isAbbreviation(this.#kept.slice(0, end))) return end;
    }
    return this.#first ? firstClause(this.#kept) : 0;
  }

  #isAbbreviation(text: string): boolean {
    if (!text.endsWith('.')) return false;
    const word = /\S+$/.exec(text.slice(0, -1))?.[0].replace(/^["'“‘«([]+/, '') ?? '';
    if (/^\d+$/.test(word)) return this.#language.ordinalStop;
    // A single letter is an initial, but «I» at an end is not.
    if (/^\p{L}$/u.test(word)) return word !== 'I';
    return this.#language.abbreviations.has(word.toLowerCase());
  }
}

/** A whole text at once. */
export function splitSentences(text: string, languageTag: string): readonly string[] {
  const splitter = new SentenceSplitter(languageTag);
  return [...splitter.push(text), ...splitter.end()];
}

function firstClause(text: string): number {
  for (const match of text.matchAll(CLAUSE_END)) {
    if (match.index + 1 >= FIRST_CLAUSE_MIN_CHARACTERS) return match.index + 1;
  }
  return 0;
}

function lastClause(text: string): number {
  const clause = [...text.matchAll(CLAUSE_END)].at(-1);
  if (clause !== undefined) return clause.index + 1;
  const space = text.lastIndexOf(' ');
  return space > 0 ? space : text.length;
}
