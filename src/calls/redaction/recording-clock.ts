/** Smaller shifts are jitter, in ms. */
const SHIFT_MS_MIN = 40;
/** Samples within this time show how late a sample is, in ms. The bound keeps the error by a drifting clock of the peer under 1 ms. */
const DELAY_MS_MAX = 10_000;

/** The recording was ahead of the other clock by `offsetMs` from `atMs` on, until the next sample. */
interface Sample {
  readonly atMs: number;
  readonly offsetMs: number;
}

/** Converts times of another clock to positions in the recording, which runs by the clock of the media worker. */
export class RecordingClock {
  readonly #samples: Sample[] = [];

  /** Both clocks were read now. */
  add(atMs: number, recordedMs: number): void {
    const offsetMs = recordedMs - atMs;
    const last = this.#samples.at(-1);
    if (last === undefined || Math.abs(last.offsetMs - offsetMs) >= SHIFT_MS_MIN)
      this.#samples.push({ atMs, offsetMs });
  }

  /**
   * A sample can be late, never early, and the true offset only grows, apart from drift. So the minimum of this sample and those
   * within `DELAY_MS_MAX` is the true offset. A gap in the peer's audio changes only later offsets.
   */
  recordedMs(atMs: number): number {
    const first = Math.max(
      0,
      this.#samples.findLastIndex((sample) => sample.atMs <= atMs),
    );
    let offsetMs = this.#samples[first]?.offsetMs ?? 0;
    for (let next = first + 1; next < this.#samples.length; next++) {
      const sample = this.#samples[next];
      if (sample === undefined || sample.atMs > atMs + DELAY_MS_MAX) break;
      offsetMs = Math.min(offsetMs, sample.offsetMs);
    }
    return Math.round(atMs + offsetMs);
  }
}
