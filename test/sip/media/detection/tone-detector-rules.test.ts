import { describe, expect, it } from 'vitest';
import { joined } from '../../../../fixtures/sound/synthesis.ts';
import { type DetectedTone, ToneDetector } from '../../../../sip/media/detection/tone-detector.ts';

/** The step of the window, in which all sounds here begin and end. */
const STEP_SAMPLES = 160;
const STEP_MS = 20;
const FULL_SCALE = 32_767;
/** Silence around the sounds, in steps. */
const LEAD_STEPS = 20;
const TRAIL_STEPS = 50;
const LEVEL_DB = -14;
/** A tone is proved by four windows: the first step does not fill one. */
const LEAST_STEPS = 5;
/** Windows of a tone may differ by this. */
const FULL_LEVEL_DB = 1.5;
/** Windows of a tone that may be softer. */
const OTHER_WINDOWS_MAX = 6;
/** A tone with holes of one packet, which affects another window, has at most this many. */
const HOLES_MAX = 5;
const DRIFT_HZ = 5;
/** Sounds around a beep are this much weaker; its own sound beside the tone is weaker than the tone, or as loud as those. */
const CONTRAST_DB = 3;
const OWN_REST_DB = 13;
const REST_DB = 2;
/** Sounds this close to a tone are around it: before it, and after it. */
const BEFORE_STEPS = 5;
const AFTER_STEPS = 6;
/** A tone after a pause up to this is of the same run. */
const RUN_GAP_STEPS = 7;
const MARGIN_DB = 0.3;
/** A sound of the telephone band that is no beep. */
const OTHER_HZ = 3_000;

const silence = (steps: number) => new Int16Array(steps * STEP_SAMPLES);
/** A tone without edges. */
const sine = (steps: number, hz = 1_000, levelDb = LEVEL_DB) =>
  Int16Array.from({ length: steps * STEP_SAMPLES }, (_, at) =>
    Math.round(FULL_SCALE * 10 ** (levelDb / 20) * Math.sin((2 * Math.PI * hz * at) / 8_000)),
  );
const together = (...sounds: readonly Int16Array[]) =>
  Int16Array.from({ length: Math.max(...sounds.map(({ length }) => length)) }, (_, at) =>
    sounds.reduce((sum, sound) => sum + (sound[at] ?? 0), 0),
  );
const dual = (steps: number, firstHz: number, secondHz: number, firstDb = LEVEL_DB, secondDb = LEVEL_DB) =>
  together(sine(steps, firstHz, firstDb), sine(steps, secondHz, secondDb));

function write(detector: ToneDetector, samples: Int16Array, found: DetectedTone[]): void {
  for (let at = 0; at < samples.length; at += STEP_SAMPLES) {
    const packet = samples.subarray(at, at + STEP_SAMPLES);
    detector.write(packet, packet.length, (tone) => found.push(tone));
  }
}
/** The tones among sounds one right after another, which begin at `LEAD_STEPS`. */
function tonesOf(...sounds: readonly Int16Array[]): readonly DetectedTone[] {
  const found: DetectedTone[] = [];
  write(new ToneDetector(), joined([silence(LEAD_STEPS), ...sounds, silence(TRAIL_STEPS)]), found);
  return found;
}
const isBeep = (...sounds: readonly Int16Array[]) => tonesOf(...sounds).length === 1;

describe('a tone', () => {
  it('has four full windows', () => {
    expect([isBeep(sine(LEAST_STEPS - 1)), isBeep(sine(LEAST_STEPS))]).toEqual([false, true]);
  });

  it('begins and ends within half a step of its times', () => {
    for (const steps of [5, 10, 20]) {
      const [found] = tonesOf(sine(steps));
      const startMs = LEAD_STEPS * STEP_MS;
      expect(Math.abs((found?.startMs ?? 0) - startMs)).toBeLessThan(STEP_MS / 2);
      expect(Math.abs((found?.endMs ?? 0) - startMs - steps * STEP_MS)).toBeLessThan(STEP_MS / 2);
    }
  });

  it('has a steady frequency', () => {
    const thenHz = (hz: number) => isBeep(sine(3.5), sine(3.5, hz));
    expect([thenHz(1_000 + DRIFT_HZ), thenHz(1_000 + 2 * DRIFT_HZ), thenHz(1_000 - 2 * DRIFT_HZ)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has a steady level', () => {
    const levels = (firstDb: number, secondDb: number) => isBeep(sine(3.5, 1_000, firstDb), sine(3.5, 1_000, secondDb));
    const least = LEVEL_DB - FULL_LEVEL_DB;
    expect([levels(LEVEL_DB, least + 0.2), levels(LEVEL_DB, least - 0.2)]).toEqual([true, false]);
    expect([levels(least + 0.2, LEVEL_DB), levels(least - 0.5, LEVEL_DB)]).toEqual([true, false]);
  });

  it('does not fade away step by step', () => {
    const faded = [0, 1, 2].map((times) => sine(LEAST_STEPS, 1_000, LEVEL_DB - times * (FULL_LEVEL_DB - 0.3)));
    expect(isBeep(...faded)).toBe(false);
    expect(isBeep(...faded.toReversed())).toBe(true);
  });

  it('may have a soft end and a soft beginning of some windows, which do not count', () => {
    const soft = (steps: number) => sine(steps, 1_000, LEVEL_DB - 2 * FULL_LEVEL_DB);
    const [ending] = tonesOf(sine(6), soft(OTHER_WINDOWS_MAX));
    expect(Math.abs((ending?.endMs ?? 0) - (LEAD_STEPS + 6) * STEP_MS)).toBeLessThan(STEP_MS / 2);
    expect(isBeep(sine(6), soft(OTHER_WINDOWS_MAX + 1))).toBe(false);
    const [beginning] = tonesOf(soft(OTHER_WINDOWS_MAX), sine(6));
    const startMs = (LEAD_STEPS + OTHER_WINDOWS_MAX) * STEP_MS;
    expect(Math.abs((beginning?.startMs ?? 0) - startMs)).toBeLessThanOrEqual(STEP_MS);
    expect(isBeep(soft(OTHER_WINDOWS_MAX + 2), sine(6))).toBe(false);
  });

  it('goes on over holes of two packets, but not of three', () => {
    const withHoles = (steps: number) => {
      const sound = sine(40, 1_013);
      for (const at of [6, 12]) sound.fill(0, at * STEP_SAMPLES, (at + steps) * STEP_SAMPLES);
      return isBeep(sound);
    };
    expect([1, 2, 3, 4].map(withHoles)).toEqual([true, true, false, false]);
  });

  it('is one while two windows in a row contain nothing of it', () => {
    const partSteps = 3;
    const withHole = (windows: number) => {
      const steps = windows + 1;
      const sound = sine(2 * partSteps + steps, 1_013);
      return isBeep(sound.fill(0, partSteps * STEP_SAMPLES, (partSteps + steps) * STEP_SAMPLES));
    };
    expect([withHole(0), withHole(2), withHole(3)]).toEqual([true, true, false]);
  });

  it('is one while another tone sounds with it for a packet', () => {
    const part = sine(LEAST_STEPS - 1);
    expect(isBeep(part, dual(1, 1_000, 1_700, LEVEL_DB, LEVEL_DB - MARGIN_DB), part)).toBe(true);
  });

  it('has only so many holes', () => {
    const withHoles = (holes: number) => {
      const sound = sine(48, 1_013);
      for (let at = 1; at <= holes; at++) sound.fill(0, 6 * at * STEP_SAMPLES, (6 * at + 1) * STEP_SAMPLES);
      return isBeep(sound);
    };
    expect([withHoles(HOLES_MAX), withHoles(HOLES_MAX + 1)]).toEqual([true, false]);
  });

  it('of one frequency is none of two, and keeps its second frequency', () => {
    expect(isBeep(dual(7, 1_000, 1_400))).toBe(true);
    expect(isBeep(dual(3.5, 1_000, 1_400), sine(3.5))).toBe(false);
    expect(isBeep(sine(3.5), dual(3.5, 1_000, 1_400))).toBe(false);
    expect(isBeep(dual(3.5, 1_000, 1_400), dual(3.5, 1_000, 1_600))).toBe(false);
    expect(isBeep(dual(3.5, 1_400, 1_000, LEVEL_DB - 1), dual(3.5, 1_600, 1_000, LEVEL_DB - 1))).toBe(false);
    const [first, then] = [dual(3.5, 1_400, 1_000, LEVEL_DB - 1), dual(3.5, 1_700, 1_400, LEVEL_DB - 1)];
    expect(isBeep(first, then)).toBe(false);
  });

  it('of two frequencies is the same whichever of them is the louder one', () => {
    const parts = [0, 1, 2, 3].map((at) =>
      dual(LEAST_STEPS, 1_000, 1_400, LEVEL_DB - (at % 2), LEVEL_DB - ((at + 1) % 2)),
    );
    expect(tonesOf(...parts)).toMatchObject([{ frequencyHz: 1_000 }]);
  });

  it('does not contain the sound before a pause of the stream', () => {
    const isFound = (before: Int16Array, steps: number) => {
      const detector = new ToneDetector();
      const found: DetectedTone[] = [];
      write(detector, joined([silence(LEAD_STEPS), before]), found);
      detector.interrupt((tone) => found.push(tone));
      write(detector, joined([sine(steps), silence(TRAIL_STEPS)]), found);
      return found.length === 1;
    };
    expect(isFound(sine(1), LEAST_STEPS - 1)).toBe(false);
    expect(isFound(sine(2, 1_000, LEVEL_DB - 10), LEAST_STEPS)).toBe(true);
  });
});

describe('two tones', () => {
  it('have each their times, though their frequencies are equal', () => {
    const pause = 50;
    const found = tonesOf(sine(10), silence(pause), sine(15));
    const startsMs = [LEAD_STEPS, LEAD_STEPS + 10 + pause].map((steps) => steps * STEP_MS);
    expect(found).toHaveLength(2);
    for (const [at, { startMs }] of found.entries()) {
      expect(Math.abs(startMs - (startsMs[at] ?? 0))).toBeLessThan(STEP_MS / 2);
    }
  });

  it('are of one run if the second one is heard before the run is over', () => {
    const count = (pause: number) => tonesOf(sine(10), silence(pause), sine(10, 1_200)).length;
    expect([count(RUN_GAP_STEPS), count(RUN_GAP_STEPS + 1)]).toEqual([1, 2]);
  });

  it('are as loud as the softer one, and as dirty as the dirtier one', () => {
    const around = (levelDb: number, ...levels: readonly number[]) =>
      isBeep(sine(10, OTHER_HZ, levelDb), ...levels.map((db, at) => sine(10, [1_000, 1_200][at], db)));
    const [loud, soft] = [LEVEL_DB, LEVEL_DB - 6];
    for (const levels of [
      [loud, soft],
      [soft, loud],
    ]) {
      expect(around(soft + 2, ...levels)).toBe(false);
      expect(around(soft - 2 * CONTRAST_DB, ...levels)).toBe(true);
    }
    const dirty = together(sine(10), sine(10, OTHER_HZ, LEVEL_DB - OWN_REST_DB + 3));
    expect([isBeep(dirty, sine(10, 1_200)), isBeep(sine(10, 1_200), dirty)]).toEqual([false, false]);
  });
});

describe('the sound around a beep', () => {
  const around = (db: number) => sine(10, OTHER_HZ, LEVEL_DB - db);

  it('is 3 dB weaker, before it and after it', () => {
    expect(isBeep(around(CONTRAST_DB + MARGIN_DB), sine(10), around(CONTRAST_DB + MARGIN_DB))).toBe(true);
    expect(isBeep(around(CONTRAST_DB - MARGIN_DB), sine(10))).toBe(false);
    expect(isBeep(sine(10), around(CONTRAST_DB - MARGIN_DB))).toBe(false);
  });

  it('is that of 0.1 s', () => {
    const preceded = (pause: number) => isBeep(around(2), silence(pause), sine(10));
    const followed = (pause: number) => isBeep(sine(10), silence(pause), around(2));
    expect([preceded(BEFORE_STEPS), preceded(BEFORE_STEPS + 1)]).toEqual([false, true]);
    expect([followed(AFTER_STEPS), followed(AFTER_STEPS + 1)]).toEqual([false, true]);
  });

  it('before the first of two tones counts, and after the last', () => {
    const tones = [sine(10), sine(10, 1_200)];
    expect(isBeep(...tones)).toBe(true);
    expect(isBeep(around(2), ...tones)).toBe(false);
    expect(isBeep(...tones, around(2))).toBe(false);
  });
});

describe('the sound of a beep beside its tone', () => {
  const beside = (db: number) => together(sine(20), sine(20, OTHER_HZ, LEVEL_DB - db));

  it('is 13 dB weaker: the harmonics of a loudspeaker', () => {
    const isOwn = (db: number) => isBeep(beside(db));
    expect([isOwn(OWN_REST_DB + MARGIN_DB), isOwn(OWN_REST_DB - MARGIN_DB)]).toEqual([true, false]);
  });

  it('or 2 dB over the sound around it at most: the noise of the line', () => {
    const noiseDb = 10;
    const over = (db: number) =>
      isBeep(sine(12, OTHER_HZ, LEVEL_DB - noiseDb), beside(noiseDb - db), sine(12, OTHER_HZ, LEVEL_DB - noiseDb));
    expect([over(REST_DB - MARGIN_DB), over(REST_DB + MARGIN_DB)]).toEqual([true, false]);
  });
});
