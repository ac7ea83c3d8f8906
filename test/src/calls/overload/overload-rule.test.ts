import { describe, expect, it } from 'vitest';
import {
  CALM_READINGS_TO_OPEN,
  CALM_READINGS_TO_REOPEN,
  nextOverload,
  OPEN,
  type OverloadState,
  READING_MS,
  retryAfterSeconds,
} from '../../../../src/calls/overload/overload-rule.ts';

const readingOf = (share: number) => ({ event_loop: share, media: 0, database: 0 });

/** The states after readings of these shares, each with as many live calls. */
function statesAfter(shares: readonly number[], liveCalls = 100, from: OverloadState = OPEN): readonly OverloadState[] {
  let state = from;
  return shares.map((share) => {
    state = nextOverload(state, readingOf(share), liveCalls);
    return state;
  });
}

const phasesAfter = (...args: Parameters<typeof statesAfter>) => statesAfter(...args).map(({ phase }) => phase);
const CALM = 0.5;

describe('a reading', () => {
  it.each(['event_loop', 'media', 'database'] as const)(
    'above twice the limit of %s refuses all further calls',
    (limit) => {
      const state = nextOverload(OPEN, { ...readingOf(0), [limit]: 2.01 }, 100);
      expect(state.phase).toBe('closed');
      expect(retryAfterSeconds(state, 0)).toBe((CALM_READINGS_TO_REOPEN * READING_MS) / 1_000 + 1);
    },
  );

  it('above a limit refuses all further calls if the one before it was, too', () => {
    expect(phasesAfter([1.01, 1.01])).toEqual(['limited', 'closed']);
    expect(phasesAfter([1.01, 0.99, 1.01])).toEqual(['limited', 'limited', 'limited']);
  });

  it.each([1, 1.01])('of %d of the limit takes a call only in the place of an ended one', (share) => {
    const state = nextOverload(OPEN, readingOf(share), 100);
    expect(state).toMatchObject({ phase: 'limited', callsMax: 100 });
    expect(retryAfterSeconds(state, 99)).toBeNull();
    expect(retryAfterSeconds(state, 100)).toBe((2 * READING_MS) / 1_000);
    expect(retryAfterSeconds(nextOverload(OPEN, readingOf(share), 0), 0)).toBeNull();
  });

  it('near the limit lets the calls grow the less, the nearer it is', () => {
    const growths = [0.71, 0.8, 0.9, 1].map((share) => nextOverload(OPEN, readingOf(share), 200).callsMax - 200);
    expect(growths).toEqual([9, 6, 3, 0]);
  });

  it.each([0, 5])('below the limit lets a process with %d calls take one more, also near the limit', (liveCalls) => {
    const state = nextOverload(OPEN, readingOf(0.99), liveCalls);
    expect(state).toMatchObject({ phase: 'limited', callsMax: liveCalls + 1 });
    expect(retryAfterSeconds(state, liveCalls)).toBeNull();
  });

  it('that is calm takes any number of calls', () => {
    expect(retryAfterSeconds(nextOverload(OPEN, readingOf(CALM), 100), 100_000)).toBeNull();
  });

  it('that is no number refuses further calls', () => {
    expect(nextOverload(OPEN, readingOf(Number.NaN), 100).phase).toBe('closed');
  });
});

describe('recovery', () => {
  it('takes as many calm readings in a row as the load of new calls needs to show', () => {
    const calm = Array<number>(CALM_READINGS_TO_REOPEN).fill(CALM);
    expect(phasesAfter([2.2, ...calm])).toEqual(['closed', ...calm.slice(1).map(() => 'closed'), 'limited']);
    // The second reading is not calm: counting begins again.
    expect(phasesAfter([2.2, CALM, 0.9, ...calm]).slice(0, -1)).toEqual(Array(2 + calm.length).fill('closed'));
  });

  it('grows by a twentieth a reading, and by one at least', () => {
    const closed = statesAfter([2.2, ...Array<number>(CALM_READINGS_TO_REOPEN - 1).fill(CALM)]).at(-1) ?? OPEN;
    expect(nextOverload(closed, readingOf(CALM), 100).callsMax).toBe(105);
    expect(nextOverload(closed, readingOf(CALM), 0).callsMax).toBe(1);
  });

  it('is complete after ten calm readings', () => {
    const phases = phasesAfter([2.2, ...Array<number>(CALM_READINGS_TO_OPEN).fill(CALM)]);
    expect(phases.slice(-2)).toEqual(['limited', 'open']);
  });
});

/** A service that carries `CAPACITY` calls, each a minute long; its load shows from the reading on after the call began. */
const CAPACITY = 200;
const CALL_SECONDS = 60;
const SIMULATED_SECONDS = 1_800;

function simulated(offered: number) {
  let state = OPEN;
  let due = 0;
  let closings = 0;
  let refused = 0;
  let live: readonly number[] = [];
  const counts: number[] = [];
  for (let second = 0; second < SIMULATED_SECONDS; second++) {
    live = live.filter((endSecond) => endSecond > second);
    const measured = live.filter((endSecond) => endSecond - second < CALL_SECONDS).length;
    const next = nextOverload(state, readingOf(measured / CAPACITY), live.length);
    if (next.phase === 'closed' && state.phase !== 'closed') closings += 1;
    state = next;
    for (due += (offered * CAPACITY) / CALL_SECONDS; due >= 1; due -= 1) {
      if (retryAfterSeconds(state, live.length) === null) live = [...live, second + CALL_SECONDS];
      else refused += 1;
    }
    counts.push(live.length);
  }
  const settled = counts.slice(2 * CALL_SECONDS);
  const mean = settled.reduce((sum, count) => sum + count, 0) / settled.length;
  return { closings, refused, mean, most: Math.max(...counts) };
}

describe('half an hour of calls of a minute', () => {
  it('refuses none at half of the capacity', () => {
    expect(simulated(0.5)).toMatchObject({ closings: 0, refused: 0 });
  });

  it.each([1.5, 2, 3])('stays at the capacity, and does not flap, when %d times as many are offered', (offered) => {
    const { closings, mean, most, refused } = simulated(offered);
    expect(most).toBeLessThanOrEqual(CAPACITY * 1.05);
    expect(mean).toBeGreaterThan(CAPACITY * 0.85);
    expect(closings).toBeLessThanOrEqual(1);
    expect(refused).toBeGreaterThan(0);
  });
});
