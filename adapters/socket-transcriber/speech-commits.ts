import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { durationMs } from '../../base/audio/audio-format.ts';
import { UtteranceCutter } from '../utterances/utterance-cutter.ts';

/** Bound of commits without a final; more are merged. */
const WAITING_MAX = 64;
/** Audio after which a commit without a final counts as lost; later words would be useless. Unit: ms. */
const OVERDUE_MS = 10_000;

/** Of the caller's audio, in ms. */
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

export type Spoken = { readonly type: 'speech'; readonly audioMs: number } | { readonly type: 'pause' };

/**
 * For providers that finalize on request: finds where speech begins and ends, by loudness, and matches words to speech. Words are
 * returned in the order of the speech, whatever order they arrive in.
 */
export class SpeechCommits {
  readonly #format: AudioFormat;
  readonly #cutter: UtteranceCutter;
  #writtenMs = 0;
  /** Of the speech that has not been handed over; undefined while there is none. */
  #startMs: number | undefined;
  #endMs = 0;
  /** Of that speech some has ended. */
  #hasEnded = false;
  /** Words have been told of what was not handed over. */
  #isHeard = false;
  #waiting: Commit[] = [];
  /** The end of what was handed over last. */
  #committedMs = 0;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#cutter = new UtteranceCutter(format);
  }

  get writtenMs(): number {
    return Math.round(this.#writtenMs);
  }

  /** Where the words begin that have not been handed over. */
  get startMs(): number {
    return this.#startMs ?? this.#committedMs;
  }

  get isOverdue(): boolean {
    const oldest = this.#waiting[0];
    return oldest !== undefined && this.#writtenMs - oldest.atMs > OVERDUE_MS;
  }

  /** After a `pause`, call `commit`. */
  take(audio: Uint8Array): readonly Spoken[] {
    this.#writtenMs += durationMs(this.#format, audio.length);
    return this.#cutter.take(audio).map((cut) => {
      if (cut.type === 'speech') {
        // What began and was no speech does not count.
        if (!this.#hasEnded) this.#startMs = cut.audioMs;
        return cut;
      }
      this.#hasEnded = true;
      this.#endMs = cut.endMs;
      return { type: 'pause' };
    });
  }

  /** Commits the speech so far; false if there was none. */
  commit(): boolean {
    const cut = this.#cutter.cut();
    if (cut !== undefined) this.#endMs = cut.endMs;
    const isSaid = cut !== undefined || this.#hasEnded;
    // Softer than a voice, and yet the provider may have heard words of it.
    if (!isSaid && !this.#isHeard) return false;
    const { startMs } = this;
    this.#add({ startMs, endMs: isSaid ? this.#endMs : this.writtenMs }, undefined);
    this.#startMs = undefined;
    this.#hasEnded = false;
    this.#isHeard = false;
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
      this.#isHeard = true;
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
        ? this.#waiting.find((one) => one.text === undefined && one.item === undefined)
        : this.#waiting.find((one) => one.item === item && one.text === undefined);
    if (commit === undefined) return item === undefined && this.#isHeard && this.commit() ? this.settle(text) : [];
    commit.text = text;
    const end = this.#waiting.findIndex((one) => one.text === undefined);
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
