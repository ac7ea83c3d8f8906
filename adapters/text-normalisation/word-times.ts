import type { SpokenWord } from '../../engine/ports/voice.ts';
import type { AlignedWord, SpeechText } from './speech-text.ts';

/** How far ahead a piece is looked for that does not stand where it should: the voice may leave something out. */
const LOOK_AHEAD_LETTERS = 3;
const LOOK_AHEAD_WORDS = 40;

interface OpenWord {
  readonly text: string;
  readonly spokenStart: number;
  /** Where its last letter or figure ends: a full stop behind it is not waited for. */
  readonly soundEnd: number;
}

/**
 * Leads the times of what was said back to the words as they were written, which the transcript is made of: «$5» has
 * ended when «dollars» has. Told once each, in order, when their last piece is there.
 */
export class WordTimes {
  readonly #spoken: string;
  readonly #words: readonly OpenWord[];
  #next = 0;
  #cursor = 0;
  #startMs: number | undefined;
  #endMs = 0;

  constructor(speech: SpeechText) {
    const lower = speech.spoken.toLowerCase();
    // A few letters have two in lower case, which would move all places behind them.
    this.#spoken = lower.length === speech.spoken.length ? lower : speech.spoken;
    this.#words = speech.words
      .filter((word) => /[\p{L}\p{N}]/u.test(speech.spoken.slice(word.spokenStart, word.spokenEnd)))
      .map((word) => openWord(word, speech.spoken));
  }

  /** Pieces are characters or words of what was said. */
  take(pieces: readonly SpokenWord[]): readonly SpokenWord[] {
    const reported: SpokenWord[] = [];
    for (const piece of pieces) {
      if (!this.#find(piece.text)) continue;
      const word = this.#words[this.#next];
      if (word !== undefined && this.#cursor > word.spokenStart) this.#startMs ??= piece.startMs;
      this.#endMs = Math.max(this.#endMs, piece.endMs);
      this.#emitEnded(reported);
    }
    return reported;
  }

  /** At the end of the segment: a word that only a part of was told. */
  rest(): readonly SpokenWord[] {
    const word = this.#words[this.#next];
    const startMs = this.#startMs;
    this.#next = this.#words.length;
    return word === undefined || startMs === undefined ? [] : [{ text: word.text, startMs, endMs: this.#endMs }];
  }

  #find(text: string): boolean {
    const piece = text.trim().toLowerCase();
    if (piece === '') return false;
    const ahead = piece.length === 1 ? LOOK_AHEAD_LETTERS : LOOK_AHEAD_WORDS;
    const window = this.#spoken.slice(this.#cursor, this.#cursor + ahead + piece.length);
    const at = window.indexOf(piece);
    if (at < 0) return false;
    this.#cursor += at + piece.length;
    return true;
  }

  #emitEnded(reported: SpokenWord[]): void {
    for (let word = this.#words[this.#next]; word !== undefined; word = this.#words[this.#next]) {
      if (word.soundEnd > this.#cursor) return;
      reported.push({ text: word.text, startMs: this.#startMs ?? this.#endMs, endMs: this.#endMs });
      this.#startMs = undefined;
      this.#next++;
    }
  }
}

function openWord({ text, spokenStart, spokenEnd }: AlignedWord, spoken: string): OpenWord {
  const closing = /[^\p{L}\p{M}\p{N}]*$/u.exec(spoken.slice(spokenStart, spokenEnd))?.[0].length ?? 0;
  return { text, spokenStart, soundEnd: spokenEnd - closing };
}
