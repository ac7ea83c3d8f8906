/** `samples` of a sine at 8 kHz (or another rate), half of full scale. */
export function tone(frequencyHz: number, samples: number, rateHz = 8000): Int16Array {
  return Int16Array.from({ length: samples }, (_, i) => 16_000 * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz));
}

/** Share of the signal's energy at a frequency, 0–1, at 8 kHz (Goertzel's algorithm). */
export function toneShare(samples: Int16Array, frequencyHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / 8000);
  let before = 0;
  let last = 0;
  let energy = 0;
  for (const sample of samples) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
    energy += sample * sample;
  }
  const power = before * before + last * last - coefficient * before * last;
  return energy === 0 ? 0 : (2 * power) / (energy * samples.length);
}
