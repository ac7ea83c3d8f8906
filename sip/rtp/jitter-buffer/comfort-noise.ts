/**
 * Comfort noise (RFC 3389): the static payload type 13, with a clock of 8 kHz. We neither send nor offer it, since a
 * transcriber needs the real line to hear a pause. A received packet means «noise from here until the next audio
 * packet». Its level is rendered, as white noise; its spectrum is not.
 */
export const COMFORT_NOISE_PAYLOAD_TYPE = 13;
/** In dB below full scale: inaudible. */
export const SILENT_LEVEL = 127;
const FULL_SCALE = 32_767;

/** The level of a payload, 0–127 dB below full scale; an empty one means silence. */
export function comfortNoiseLevel(payload: Uint8Array, length: number): number {
  return length === 0 ? SILENT_LEVEL : (payload[0] ?? SILENT_LEVEL) & 0x7f;
}

/** White noise of a level, from a fixed seed. */
export class ComfortNoise {
  #amplitude = 0;
  #seed = 1;

  set level(level: number) {
    // Evenly spread samples have a root mean square of their amplitude by the root of three.
    this.#amplitude = Math.min(FULL_SCALE, FULL_SCALE * 10 ** (-level / 20) * Math.sqrt(3));
  }

  fill(into: Int16Array, offset: number, length: number): void {
    for (let i = 0; i < length; i++) {
      // The linear congruence of Numerical Recipes, 32 bits.
      this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) | 0;
      into[offset + i] = Math.round((this.#seed / 2 ** 31) * this.#amplitude);
    }
  }
}
