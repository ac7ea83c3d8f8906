/**
 * Comfort noise (RFC 3389): the static payload type 13, with a clock of 8 kHz. We neither send nor offer it, since a
 * transcriber needs the real audio to detect a pause. A received packet means noise from here until the next audio
 * packet. It is played as white noise of its level, without its spectrum.
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
    // The root mean square of uniformly distributed samples is their amplitude divided by √3.
    this.#amplitude = Math.min(FULL_SCALE, FULL_SCALE * 10 ** (-level / 20) * Math.sqrt(3));
  }

  fill(into: Int16Array, offset: number, length: number): void {
    for (let i = 0; i < length; i++) {
      // The 32-bit linear congruential generator of Numerical Recipes.
      this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) | 0;
      into[offset + i] = Math.round((this.#seed / 2 ** 31) * this.#amplitude);
    }
  }
}
