import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { durationMs } from '../../base/audio/audio-format.ts';
import { UtteranceCutter } from '../utterances/utterance-cutter.ts';

/** Bound of commits without a final; more are merged. */
const WAITING_MAX = 64;
/** Audio after which a commit without a final counts as lost; later words would be useless. Unit: ms. */
const OVERDUE_MS = 10_000;

/** A span of the user's audio, ms. */
export interface SpeechSpan {
  readonly startMs: number;
  readonly endMs: number;
}

interface Commit extends SpeechSpan {
  /** Audio written up to the commit. */
  readonly atMs: number;
  /** The provider's id; undefined until it is known. */
  item: string | undefined;
  /** Undefined until the words arrive. */
  text: string | undefined;
}

/**
 * For providers that finalize on request: finds where speech begins and ends, by loudness, and matches words to speech. Words are
 * returned in the order of the speech, even if they arrive in another order.
 */
export class SpeechCommits {
  readonly #format: AudioFormat;
  readonly #cutter: UtteranceCutter;
  #writtenMs = 0;
  /** Start of the uncommitted speech; undefined without any. */
  #startMs: number | undefined;
  #endMs = 0;
  /** A part of the uncommitted speech has ended. */
  #hasEnded = false;
  /** Interim words of the uncommitted speech have arrived. */
  #hasInterimWords = false;
  #waiting: Commit[] = [];
  /** End of the last commit. */
  #committedMs = 0;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#cutter = new UtteranceCutter(format);
  }

  get writtenMs(): number {
    return Math.round(this.#writtenMs);
  }

  /** Start of the uncommitted words. */
  get startMs(): number {
    return this.#startMs ?? this.#committedMs;
  }

  get isOverdue(): boolean {
    const oldest = this.#waiting[0];
    return oldest !== undefined && this.#writtenMs - oldest.atMs > OVERDUE_MS;
  }

  /** True if speech has ended in this audio: call `commit`. */
  take(audio: Uint8Array): boolean {
    this.#writtenMs += durationMs(this.#format, audio.length);
    const cuts = this.#cutter.take(audio);
    for (const cut of cuts) {
      if (cut.type === 'utterance') {
        this.#hasEnded = true;
        this.#endMs = cut.endMs;
      } else if (!this.#hasEnded) {
        // A start of speech without an end was noise: the new start replaces it.
        this.#startMs = cut.audioMs;
      }
    }
    return cuts.some(({ type }) => type === 'utterance');
  }

  /** Commits the speech so far; false if there was none. */
  commit(): boolean {
    const cut = this.#cutter.cut();
    if (cut !== undefined) this.#endMs = cut.endMs;
    const hasSpeech = cut !== undefined || this.#hasEnded;
    // The audio was too soft for the detector, but the provider may have found words in it.
    if (!hasSpeech && !this.#hasInterimWords) return false;
    const { startMs } = this;
    this.#add({ startMs, endMs: hasSpeech ? this.#endMs : this.writtenMs }, undefined);
    this.#startMs = undefined;
    this.#hasEnded = false;
    this.#hasInterimWords = false;
    return true;
  }

  /** The provider names the commits in order, or speech that it committed by itself. */
  name(item: string): void {
    if (this.#waiting.some((commit) => commit.item === item)) return;
    const unnamed = this.#waiting.find((commit) => commit.item === undefined);
    if (unnamed !== undefined) unnamed.item = item;
    else this.#add({ startMs: this.startMs, endMs: this.writtenMs }, item);
  }

  /**
   * The span of an item for its interim words; null while an earlier commit is open. An item without a name is the first
   * commit without one, or the current speech.
   */
  spanOf(item?: string): SpeechSpan | null {
    const index = this.#waiting.findIndex((commit) => commit.item === undefined || commit.item === item);
    const isCurrent = index === -1 && this.#waiting.length === 0;
    if (isCurrent) {
      this.#hasInterimWords = true;
      return { startMs: this.startMs, endMs: this.writtenMs };
    }
    return index === 0 ? (this.#waiting[0] ?? null) : null;
  }

  /**
   * Stores the final words of an item, or of the oldest commit without a name. Returns the words of all commits before the
   * first open one. Words without a commit belong to the current speech if it had interim words. Otherwise the provider
   * repeats earlier words, which are ignored.
   */
  settle(text: string, item?: string): readonly (SpeechSpan & { readonly text: string })[] {
    const commit =
      item === undefined
        ? this.#waiting.find((waiting) => waiting.text === undefined && waiting.item === undefined)
        : this.#waiting.find((waiting) => waiting.item === item && waiting.text === undefined);
    if (commit === undefined)
      return item === undefined && this.#hasInterimWords && this.commit() ? this.settle(text) : [];
    commit.text = text;
    const end = this.#waiting.findIndex((waiting) => waiting.text === undefined);
    const settled = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    // A commit without speech has no words.
    return settled.flatMap(({ endMs, startMs, text }) => (text ? [{ startMs, endMs, text }] : []));
  }

  #add({ endMs, startMs }: SpeechSpan, item: string | undefined): void {
    this.#committedMs = endMs;
    if (this.#waiting.length < WAITING_MAX) {
      this.#waiting.push({ startMs, endMs, atMs: this.#writtenMs, item, text: undefined });
    }
  }
}
