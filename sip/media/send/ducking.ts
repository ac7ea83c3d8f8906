import { decodeAlawSample, decodeMulawSample, encodeAlawSample, encodeMulawSample } from '../../../base/audio/g711.ts';
import { CODEC_ALAW, CODEC_LINEAR16 } from '../worker-channel/audio-frame.ts';

/** While the user speaks, the agent's voice is this much lower: audible, but no competitor. */
const DUCKED_DB = -12;
/** The ramp between the levels, 20 ms, in steps of 2.5 ms: each step is 1.5 dB, which is not heard as one. */
const STEPS = 8;
const STEPS_PER_SECOND = 400;
const GAINS = Float64Array.from({ length: STEPS + 1 }, (_, step) => 10 ** ((DUCKED_DB * step) / STEPS / 20));
const MULAW_TABLES = tablesOf(decodeMulawSample, encodeMulawSample);
const ALAW_TABLES = tablesOf(decodeAlawSample, encodeAlawSample);

/** Lowers played audio by 12 dB and restores it, on ramps of 20 ms. Allocates nothing per packet. */
export class Ducking {
  /** 0: full level; `STEPS`: ducked. */
  #step = 0;
  /** Samples that the current step has lasted. */
  #stepSamples = 0;

  /**
   * Moves toward the level and applies it.
   *
   * @param codec `CODEC_MULAW`, `CODEC_ALAW`, one byte a sample, or `CODEC_LINEAR16`, two bytes
   */
  apply(bytes: Uint8Array, at: number, samples: number, codec: number, rateHz: number, isDucked: boolean): void {
    const target = isDucked ? STEPS : 0;
    if (this.#step === target && target === 0) return;
    const stepSamples = rateHz / STEPS_PER_SECOND;
    let from = 0;
    while (from < samples) {
      const isMoving = this.#step !== target;
      const count = isMoving ? Math.min(samples - from, stepSamples - this.#stepSamples) : samples - from;
      if (codec === CODEC_LINEAR16) this.#scale(bytes, at + 2 * from, count);
      else this.#translate(bytes, at + from, count, codec);
      from += count;
      if (!isMoving) return;
      this.#stepSamples += count;
      if (this.#stepSamples < stepSamples) continue;
      this.#stepSamples = 0;
      this.#step += target > this.#step ? 1 : -1;
    }
  }

  #scale(bytes: Uint8Array, at: number, samples: number): void {
    const gain = GAINS[this.#step] ?? 1;
    for (let i = at; i < at + 2 * samples; i += 2) {
      const sample = (((bytes[i + 1] ?? 0) << 24) >> 16) | (bytes[i] ?? 0);
      const scaled = Math.round(sample * gain);
      bytes[i] = scaled;
      bytes[i + 1] = scaled >> 8;
    }
  }

  #translate(bytes: Uint8Array, at: number, samples: number, codec: number): void {
    const table = (codec === CODEC_ALAW ? ALAW_TABLES : MULAW_TABLES)[this.#step];
    if (table === undefined || this.#step === 0) return;
    for (let i = at; i < at + samples; i++) bytes[i] = table[bytes[i] ?? 0] ?? 0;
  }
}

/** For each step, the code of each code's lowered sample. */
function tablesOf(decode: (code: number) => number, encode: (sample: number) => number): readonly Uint8Array[] {
  return Array.from(GAINS, (gain) =>
    Uint8Array.from({ length: 256 }, (_, code) => encode(Math.round(decode(code) * gain))),
  );
}
