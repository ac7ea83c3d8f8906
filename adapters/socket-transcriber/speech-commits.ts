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

  /** `pause`: what was said so far is to be handed over. */
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

  /** What was said so far is being handed over; false where nothing was. */
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

  /** The provider names what was handed over, in order; or what it took to be whole by itself. */
  name(item: string): void {
    if (this.#waiting.some((commit) => commit.item === item)) return;
    const unnamed = this.#waiting.find((commit) => commit.item === undefined);
    if (unnamed !== undefined) unnamed.item = item;
    else this.#add({ startMs: this.startMs, endMs: this.writtenMs }, item);
  }

  /**
   * Where an item lies whose words can be told now, before they are final; null where another's come first. An item without
   * a name is the first that was handed over without one, or what is being said.
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
   * The words of an item, or of the oldest that has no name; answers all that can be told now. Words that nobody asked for
   * are taken where some were told of what was said since; else they are repeated ones.
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
    // What was no speech has no words.
    return settled.flatMap(({ endMs, startMs, text }) => (text ? [{ startMs, endMs, text }] : []));
  }

  #add({ endMs, startMs }: SpeechSpan, item: string | undefined): void {
    this.#committedMs = endMs;
    if (this.#waiting.length < WAITING_MAX) {
      this.#waiting.push({ startMs, endMs, atMs: this.#writtenMs, item, text: undefined });
    }
  }
}
