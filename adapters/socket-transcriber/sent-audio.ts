import { type AudioFormat, durationMs } from '../../base/audio/audio-format.ts';

/** Stretches of silence remembered one by one; words are told of audio of the last seconds, not from before so many. */
const STRETCHES_MAX = 64;

/** Silence of ours, which nobody wrote; where it stands in the audio that the provider got. Unit: ms. */
interface Stretch {
  readonly fromMs: number;
  readonly ms: number;
}

/**
 * What a provider was sent of a stream's audio. Its clock counts what came in, our events count what was written to the
 * stream: audio that was dropped before the connection stood is missing there, silence put in between is too much.
 */
export class SentAudio {
  readonly #format: AudioFormat;
  readonly #droppedMs: number;
  #sentMs = 0;
  #stretches: Stretch[] = [];
  /** Silence that is no longer remembered one by one. */
  #olderSilenceMs = 0;

  constructor(format: AudioFormat, droppedMs: number) {
    this.#format = format;
    this.#droppedMs = droppedMs;
  }

  addAudio(byteLength: number): void {
    this.#sentMs += durationMs(this.#format, byteLength);
  }

  addSilence(byteLength: number): void {
    const ms = durationMs(this.#format, byteLength);
    const last = this.#stretches.at(-1);
    if (last !== undefined && last.fromMs + last.ms === this.#sentMs) {
      this.#stretches[this.#stretches.length - 1] = { fromMs: last.fromMs, ms: last.ms + ms };
    } else {
      this.#stretches.push({ fromMs: this.#sentMs, ms });
    }
    this.#sentMs += ms;
    if (this.#stretches.length > STRETCHES_MAX) this.#olderSilenceMs += this.#stretches.shift()?.ms ?? 0;
  }

  /** A moment on the provider's clock, in ms of what was written. One inside our silence is the moment it began. */
  writtenMs(providerMs: number): number {
    let silenceMs = this.#olderSilenceMs;
    for (const { fromMs, ms } of this.#stretches) silenceMs += Math.min(ms, Math.max(0, providerMs - fromMs));
    return Math.round(Math.max(0, providerMs - silenceMs)) + this.#droppedMs;
  }
}
