import { CALL_HZ } from './call-format.ts';
import { SincResampler } from './sinc-resampler.ts';

/** Samples of the call that are buffered before playback starts, against network jitter. */
const START_SAMPLES = CALL_HZ * 0.08;
/** Above this number of buffered samples, frames of silence are dropped. */
const LATE_SAMPLES = CALL_HZ * 0.3;

/** The agent's audio between the network and the loudspeaker. */
export class PlayoutBuffer {
  readonly #resampler: SincResampler;
  #frames: Float32Array[] = [];
  #queuedSamples = 0;
  #ready: number[] = [];
  #isPlaying = false;

  constructor(speakerHz: number) {
    this.#resampler = new SincResampler(CALL_HZ, speakerHz);
  }

  /** The agent was interrupted. */
  clear(): void {
    this.#frames = [];
    this.#queuedSamples = 0;
    this.#ready = [];
  }

  add(frame: Int16Array): void {
    if (this.#queuedSamples > LATE_SAMPLES && frame.every((sample) => sample === 0)) return;
    this.#frames.push(Float32Array.from(frame, (sample) => sample / 32_768));
    this.#queuedSamples += frame.length;
  }

  /** Fills `speaker`; what is missing stays silent. After an underrun, playback starts again when enough audio is buffered. */
  fill(speaker: Float32Array): void {
    if (!this.#isPlaying && this.#queuedSamples < START_SAMPLES) return;
    this.#isPlaying = true;
    for (let frame = this.#next(speaker.length); frame !== undefined; frame = this.#next(speaker.length)) {
      this.#queuedSamples -= frame.length;
      this.#resampler.push(frame, (sample) => this.#ready.push(sample));
    }
    const samples = this.#ready.splice(0, speaker.length);
    speaker.set(samples);
    if (samples.length < speaker.length) this.#isPlaying = false;
  }

  #next(wanted: number): Float32Array | undefined {
    return this.#ready.length < wanted ? this.#frames.shift() : undefined;
  }
}
