/** The first two tones of a run and its last one are kept; others are only counted. */
const KEPT = 3;
/**
 * A tone that starts within this time after the last belongs to the same run: the tones of a melody or a SIT.
 */
const RUN_GAP_MS = 160;
/** Ringing and busy tones have longer pauses: up to 0.5 s in fast ones. */
const PROGRESS_GAP_MS = 650;
/** The band of beeps, with a margin for measurement errors. */
const BEEP_FROM_HZ = 390;
const BEEP_TO_HZ = 2_520;
/** The longest known beep lasts 1.5 s; longer tones are dial tones, faxes or test tones. */
const BEEP_MS_MAX = 2_500;
/** A longer tone of 400–480 Hz may be a ringing tone (1 s in Europe, 2 s in America), so it is not a beep. */
const PROGRESS_BEEP_MS_MAX = 800;

/**
 * The three rising tones before an announcement that a call could not be connected (ITU-T E.180 §14, Telcordia GR-1162):
 * 914 or 985 Hz, 1371 or 1429 Hz, 1777 Hz, 274 or 380 ms each.
 */
const SIT_FROM_HZ = [880, 1_340, 1_740];
const SIT_TO_HZ = [1_020, 1_460, 1_815];
const SIT_TONE_MS_MIN = 180;
const SIT_TONE_MS_MAX = 460;

/** The kind of a run of tones. */
export type RunKind = 'beep' | 'sit' | 'none';

/** Tones in close succession. Their kind is known once no other tone can follow. */
export class ToneRun {
  count = 0;
  startMs = 0;
  endMs = 0;
  /** The stronger frequency of the last tone. */
  frequencyHz = 0;
  readonly #firstHz = new Float64Array(KEPT);
  readonly #secondHz = new Float64Array(KEPT);
  readonly #lengthMs = new Float64Array(KEPT);

  add(firstHz: number, secondHz: number, startMs: number, endMs: number): void {
    if (this.count === 0) this.startMs = startMs;
    // A run of more tones is of no kind, but the band of the last one decides how long it goes on.
    const at = Math.min(this.count, KEPT - 1);
    this.#firstHz[at] = firstHz;
    this.#secondHz[at] = secondHz;
    this.#lengthMs[at] = endMs - startMs;
    this.frequencyHz = firstHz;
    this.endMs = endMs;
    this.count++;
  }

  /** Whether a tone that begins at `nowMs` would no longer belong to the run. */
  isOver(nowMs: number): boolean {
    const gapMs = this.#inProgressBand(Math.min(this.count, KEPT) - 1) ? PROGRESS_GAP_MS : RUN_GAP_MS;
    return this.count > 0 && nowMs - this.endMs > gapMs;
  }

  /** The kind of the run. Empties it except for the times and the frequency. */
  finish(): RunKind {
    const kind = this.#kind();
    this.count = 0;
    return kind;
  }

  #kind(): RunKind {
    if (this.#isSit()) return 'sit';
    if (this.frequencyHz < BEEP_FROM_HZ || this.frequencyHz > BEEP_TO_HZ) return 'none';
    if (this.count === 0 || this.count > 2 || this.endMs - this.startMs > BEEP_MS_MAX) return 'none';
    for (let i = 0; i < this.count; i++) {
      if (this.#isDtmf(i)) return 'none';
      if (!this.#inProgressBand(i)) continue;
      if (this.count > 1 || (this.#secondHz[i] ?? 0) > 0) return 'none';
      if ((this.#lengthMs[i] ?? 0) > PROGRESS_BEEP_MS_MAX) return 'none';
    }
    return 'beep';
  }

  /** Three tones, or the last two if the first was missed. */
  #isSit(): boolean {
    if (this.count !== 2 && this.count !== KEPT) return false;
    for (let i = 0; i < this.count; i++) {
      const step = KEPT - this.count + i;
      const hz = this.#firstHz[i] ?? 0;
      const length = this.#lengthMs[i] ?? 0;
      if (hz < (SIT_FROM_HZ[step] ?? 0) || hz > (SIT_TO_HZ[step] ?? 0)) return false;
      if (length < SIT_TONE_MS_MIN || length > SIT_TONE_MS_MAX) return false;
    }
    return true;
  }

  /** 350–480 Hz alone, or two tones up to 620 Hz: dial, ringing and busy tones of ITU-T E.180's list. */
  #inProgressBand(index: number): boolean {
    const first = this.#firstHz[index] ?? 0;
    const second = this.#secondHz[index] ?? 0;
    return second === 0 ? first < 500 : Math.max(first, second) < 650;
  }

  /** ITU-T Q.23: one of 697–941 Hz with one of 1209–1633 Hz, 2 % to either side. */
  #isDtmf(index: number): boolean {
    const low = Math.min(this.#firstHz[index] ?? 0, this.#secondHz[index] ?? 0);
    const high = Math.max(this.#firstHz[index] ?? 0, this.#secondHz[index] ?? 0);
    return low > 683 && low < 960 && high > 1_184 && high < 1_667;
  }
}
