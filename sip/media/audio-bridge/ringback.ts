import type { ReplacementAudio } from './audio-relay.ts';

const RATE_HZ = 8000;
const FRAME_SAMPLES = 160;
/** Ringing tone of most of the world (ITU-T E.180 and its supplement 2): 425 Hz, one second on and four off. */
const TONE_HZ = 425;
const ON_FRAMES = 50;
const PERIOD_FRAMES = 250;
/** -16 dBm0, within what E.180 recommends for tones. */
const LEVEL = 5_000;
/** 425 Hz are 17 periods in 320 samples: two frames that follow each other without a step. */
const TONE = Int16Array.from({ length: 2 * FRAME_SAMPLES }, (_, i) =>
  Math.round(LEVEL * Math.sin((2 * Math.PI * TONE_HZ * i) / RATE_HZ)),
);

/** The ringing tone that a caller hears while the callee is being called. */
export class Ringback implements ReplacementAudio {
  readonly rateHz = RATE_HZ;
  #frame = 0;

  fill(out: Int16Array, at: number): void {
    const sounds = this.#frame % PERIOD_FRAMES < ON_FRAMES;
    const from = (this.#frame % 2) * FRAME_SAMPLES;
    for (let i = 0; i < FRAME_SAMPLES; i++) out[at + i] = sounds ? (TONE[from + i] ?? 0) : 0;
    this.#frame++;
  }
}
