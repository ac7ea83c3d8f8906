import { describe, expect, it } from 'vitest';
import { type RunKind, ToneRun } from '../../../../sip/media/detection/tone-run.ts';

/** A tone after the last one belongs to the same run until this long after it; in the band of ringing tones until the second one. */
const RUN_GAP_MS = 160;
const PROGRESS_GAP_MS = 650;
/** A longer tone is no beep; in the band of ringing tones the second one counts. */
const BEEP_MS_MAX = 2_500;
const PROGRESS_BEEP_MS_MAX = 800;
const SIT_HZ = [950, 1_400, 1_777] as const;
const SIT_MS = 330;
const SIT_MS_BOUNDS = { least: 180, most: 460 } as const;

type Tone = readonly [firstHz: number, secondHz: number, lengthMs: number];

/** A run of tones, one right after another, from 1 s on. */
function runOf(...tones: readonly Tone[]): ToneRun {
  const run = new ToneRun();
  let atMs = 1_000;
  for (const [firstHz, secondHz, lengthMs] of tones) {
    run.add(firstHz, secondHz, atMs, atMs + lengthMs);
    atMs += lengthMs;
  }
  return run;
}
const kindOf = (...tones: readonly Tone[]): RunKind => runOf(...tones).finish();

describe('a run of tones', () => {
  it('reaches from its first tone to its last, and has the frequency of the last one', () => {
    expect(runOf([1_000, 0, 200], [1_200, 0, 300])).toMatchObject({ startMs: 1_000, endMs: 1_500, frequencyHz: 1_200 });
  });

  it('is over once a tone would come too late', () => {
    const run = runOf([1_000, 0, 200]);
    expect(run.isOver(1_200 + RUN_GAP_MS)).toBe(false);
    expect(run.isOver(1_201 + RUN_GAP_MS)).toBe(true);
  });

  it.each<Tone>([
    [440, 0, 200],
    [499, 0, 200],
    [440, 480, 200],
    [620, 480, 200],
  ])('in the band of ringing tones is over later: %i Hz, %i Hz', (...tone) => {
    const run = runOf(tone);
    expect(run.isOver(1_200 + PROGRESS_GAP_MS)).toBe(false);
    expect(run.isOver(1_201 + PROGRESS_GAP_MS)).toBe(true);
  });

  it.each<Tone>([
    [500, 0, 200],
    [480, 650, 200],
    [650, 480, 200],
  ])('in another band is over sooner: %i Hz, %i Hz', (...tone) => {
    expect(runOf(tone).isOver(1_201 + RUN_GAP_MS)).toBe(true);
  });

  it('has the band of its last tone, however many came before', () => {
    const others: readonly Tone[] = [1, 2, 3].map(() => [1_000, 0, 50]);
    expect(runOf(...others, [440, 0, 50]).isOver(1_201 + RUN_GAP_MS)).toBe(false);
    expect(runOf([440, 0, 50], ...others).isOver(1_201 + RUN_GAP_MS)).toBe(true);
  });

  it('without a tone is neither over nor of a kind', () => {
    expect(new ToneRun().isOver(10_000)).toBe(false);
    expect(new ToneRun().finish()).toBe('none');
  });

  it('is of a kind once', () => {
    const run = runOf([1_000, 0, 200]);
    expect([run.finish(), run.finish()]).toEqual(['beep', 'none']);
  });
});

describe('a beep', () => {
  it('has one or two tones', () => {
    expect(kindOf([1_000, 0, 200])).toBe('beep');
    expect(kindOf([1_000, 1_400, 200])).toBe('beep');
    expect(kindOf([1_000, 0, 100], [1_200, 0, 100])).toBe('beep');
    expect(kindOf([1_000, 0, 100], [1_200, 0, 100], [1_000, 0, 100])).toBe('none');
    expect(kindOf([1_000, 0, 100], [1_200, 0, 100], [1_000, 0, 100], [1_200, 0, 100])).toBe('none');
  });

  it('lies in the band of beeps', () => {
    expect([389, 390, 2_520, 2_521].map((hz) => kindOf([hz, 0, 200]))).toEqual(['none', 'beep', 'beep', 'none']);
  });

  it('is no longer than the longest known one', () => {
    expect(kindOf([1_000, 0, BEEP_MS_MAX])).toBe('beep');
    expect(kindOf([1_000, 0, BEEP_MS_MAX + 1])).toBe('none');
    expect(kindOf([1_000, 0, BEEP_MS_MAX - 100], [1_100, 0, 101])).toBe('none');
  });

  it('of the band of ringing tones is short, alone, and of one frequency', () => {
    expect(kindOf([440, 0, PROGRESS_BEEP_MS_MAX])).toBe('beep');
    expect(kindOf([440, 0, PROGRESS_BEEP_MS_MAX + 1])).toBe('none');
    expect(kindOf([440, 480, 200])).toBe('none');
    expect(kindOf([440, 0, 200], [440, 0, 200])).toBe('none');
    expect(kindOf([440, 0, 200], [1_000, 0, 200])).toBe('none');
    expect(kindOf([1_000, 0, 200], [440, 0, 200])).toBe('none');
  });

  it.each<Tone>([
    [697, 1_209, 200],
    [1_633, 941, 200],
    [684, 1_666, 200],
    [959, 1_185, 200],
  ])('is no DTMF digit: %i Hz, %i Hz', (...tone) => {
    expect(kindOf(tone)).toBe('none');
    expect(kindOf([1_000, 0, 100], tone)).toBe('none');
  });

  it.each<Tone>([
    [683, 1_209, 200],
    [960, 1_209, 200],
    [697, 1_184, 200],
    [697, 1_667, 200],
  ])('may have frequencies beside those of DTMF: %i Hz, %i Hz', (...tone) => {
    expect(kindOf(tone)).toBe('beep');
  });
});

describe('special information tones', () => {
  const tonesOf = (changes: { readonly at?: number; readonly hz?: number; readonly ms?: number } = {}) =>
    SIT_HZ.map((hz, at): Tone => (at === changes.at ? [changes.hz ?? hz, 0, changes.ms ?? SIT_MS] : [hz, 0, SIT_MS]));

  it('are three rising tones, or the last two of them', () => {
    expect(kindOf(...tonesOf())).toBe('sit');
    expect(kindOf(...tonesOf().slice(1))).toBe('sit');
    expect(kindOf(...tonesOf().slice(0, 2))).not.toBe('sit');
    expect(kindOf(...tonesOf().toReversed())).not.toBe('sit');
    expect(kindOf(...tonesOf().slice(2))).not.toBe('sit');
  });

  it('are not the last three of more tones', () => {
    expect(kindOf([1_000, 0, SIT_MS], ...tonesOf())).toBe('none');
  });

  it.each([
    [0, 880, 1_020],
    [1, 1_340, 1_460],
    [2, 1_740, 1_815],
  ])('have each their band: tone %i, %i to %i Hz', (at, fromHz, toHz) => {
    const isSit = (hz: number) => kindOf(...tonesOf({ at, hz })) === 'sit';
    expect([fromHz - 1, fromHz, toHz, toHz + 1].map(isSit)).toEqual([false, true, true, false]);
  });

  it('have each a length within bounds', () => {
    const { least, most } = SIT_MS_BOUNDS;
    for (const at of [0, 1, 2]) {
      const isSit = (ms: number) => kindOf(...tonesOf({ at, ms })) === 'sit';
      expect([least - 1, least, most, most + 1].map(isSit)).toEqual([false, true, true, false]);
    }
  });
});
