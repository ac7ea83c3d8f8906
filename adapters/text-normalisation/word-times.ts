import type { SpokenWord } from '../../engine/ports/voice.ts';
import type { AlignedWord, SpeechText } from './speech-text.ts';

/** How far ahead to search for a piece at an unexpected position: the voice may skip text. */
const LOOK_AHEAD_LETTERS = 3;
const LOOK_AHEAD_WORDS = 40;

interface OpenWord {
  readonly text: string;
  readonly spokenStart: number;
  /** The end of its last letter or digit; a full stop after it is not waited for. */
  readonly soundEnd: number;
}

/**
 * Maps the times of spoken words back to the words as written, which the transcript uses: «$5» ends when «dollars»
 * does. Each word is emitted once, in order, after its last piece.
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
    // A few letters become two in lower case, which would shift all later positions.
    this.#spoken = lower.length === speech.spoken.length ? lower : speech.spoken;
    this.#words = speech.words
      .filter((word) => /[\p{L}\p{N}]/u.test(speech.spoken.slice(word.spokenStart, word.spokenEnd)))
      .map((word) => openWord(word, speech.spoken));
  }

  /** Pieces are characters or words of the spoken text. */
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

  /** At the end of the segment: a word of which only a part was timed. */
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
