import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { SharedRateLimiter } from '../../../../src/api/requests/shared-rate-limiter.ts';

const MINUTE_MS = 60_000;
const WAIT_MS = 500;
const KEY = 'key';

/** Counts of all nodes, as the database keeps them. */
class SharedCounts {
  readonly queries: string[] = [];
  isAway = false;
  isSilent = false;
  readonly #clock: SimulatedClock;
  readonly #rows = new Map<string, { endsMs: number; taken: number }>();

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  taken(name: string): number {
    return this.#rows.get(name)?.taken ?? 0;
  }

  async takeRequests(name: string, windowMs: number, requests: number) {
    this.queries.push(`${name} ${requests}`);
    if (this.isSilent) return new Promise<never>(() => {});
    if (this.isAway) throw new Error('away');
    const nowMs = this.#clock.wallMs();
    const endsMs = (Math.floor(nowMs / windowMs) + 1) * windowMs;
    const before = this.#rows.get(name);
    const taken = (before?.endsMs === endsMs ? before.taken : 0) + requests;
    this.#rows.set(name, { endsMs, taken });
    return { taken, endsMs, leftMs: endsMs - nowMs };
  }
}

function nodes(perMinute: number, perHour = 1_000_000) {
  const clock = new SimulatedClock();
  const shared = new SharedCounts(clock);
  const faults: string[] = [];
  const node = () => {
    const onFault = (name: string) => void faults.push(name);
    return new SharedRateLimiter({ limits: { perMinute, perHour }, shared, clock, onFault });
  };
  return { clock, shared, faults, one: node(), two: node() };
}

/** Requests that are accepted of `requests` that come one after another. */
async function accepted(limiter: SharedRateLimiter, requests: number): Promise<number> {
  let count = 0;
  for (let nth = 0; nth < requests; nth += 1) if ((await limiter.count(KEY)).retryAfterSeconds === null) count += 1;
  return count;
}

describe('nodes that share a rate limit', () => {
  it.each([1, 7, 20, 99])('accept exactly %i requests a minute together', async (perMinute) => {
    const { clock, one, two } = nodes(perMinute);
    for (let minute = 0; minute < 3; minute += 1) {
      let together = 0;
      for (let nth = 0; nth < perMinute + 3; nth += 1) {
        together += await accepted(nth % 2 === 0 ? one : two, 1);
      }
      expect(together).toBe(perMinute);
      expect(await accepted(one, 1)).toBe(0);
      clock.advance(MINUTE_MS);
    }
  });

  it('never exceed a larger limit, and lose at most what an idle node holds', async () => {
    const { one, two } = nodes(600);
    const first = await accepted(one, 1);
    const others = await accepted(two, 700);
    expect(first + others).toBeLessThanOrEqual(600);
    expect(first + others).toBeGreaterThanOrEqual(600 - 12);
    expect((await accepted(one, 700)) + first + others).toBe(600);
  });

  it('ask the database once for twelve requests of 600 a minute', async () => {
    const { one, shared } = nodes(600, 30_000);
    await accepted(one, 600);
    const queries = shared.queries.filter((query) => query.includes('minute'));
    expect(queries.length).toBeLessThanOrEqual(51);
    expect(shared.queries.length - queries.length).toBeLessThanOrEqual(2);
  });

  it('need no query for a request while some are left', async () => {
    const { one } = nodes(600);
    expect(one.count(KEY)).toBeInstanceOf(Promise);
    await one.count(KEY);
    expect(one.count(KEY)).toMatchObject({ retryAfterSeconds: null });
  });

  it('report what is left of the limit, and when to retry', async () => {
    const { clock, one, two } = nodes(600, 1_000);
    clock.advance(10_000);
    expect(await one.count(KEY)).toEqual({
      headers: {
        'x-ratelimit-limit-minute': 600,
        'x-ratelimit-remaining-minute': 599,
        'x-ratelimit-limit-hour': 1_000,
        'x-ratelimit-remaining-hour': 999,
        'ratelimit-limit': 600,
        'ratelimit-remaining': 599,
      },
      retryAfterSeconds: null,
    });
    await accepted(two, 600);
    const refused = await two.count(KEY);
    expect(refused.retryAfterSeconds).toBe(50);
    expect(refused.headers['ratelimit-remaining']).toBe(0);
  });

  it('ask nothing more once the limit is reached, until the window ends', async () => {
    const { clock, one, shared } = nodes(20);
    await accepted(one, 21);
    const before = shared.queries.length;
    await accepted(one, 100);
    expect(shared.queries.length).toBe(before);
    clock.advance(MINUTE_MS);
    expect(await accepted(one, 1)).toBe(1);
  });

  it('do not count a request against the minute that the hour refuses', async () => {
    const { one, shared } = nodes(50, 3);
    expect(await accepted(one, 10)).toBe(3);
    expect(shared.taken(`key ${KEY} minute`)).toBeLessThanOrEqual(4);
  });

  it('serve requests that wait together with one query', async () => {
    const { one, shared } = nodes(20);
    await accepted(one, 1);
    const results = await Promise.all(Array.from({ length: 25 }, () => one.count(KEY)));
    expect(results.filter(({ retryAfterSeconds }) => retryAfterSeconds === null)).toHaveLength(19);
    expect(shared.queries.filter((query) => query.includes('minute')).length).toBeLessThanOrEqual(5);
  });
});

describe('without the database', () => {
  it('a node goes on with what was left of the limit, and reports that once a second', async () => {
    const { faults, one, shared, two } = nodes(20);
    await accepted(two, 5);
    await accepted(one, 5);
    shared.isAway = true;
    expect(await accepted(one, 30)).toBe(10);
    expect(faults).toHaveLength(1);
  });

  it('what a node used is counted when the database answers again', async () => {
    const { clock, one, shared, two } = nodes(20);
    await accepted(one, 1);
    shared.isAway = true;
    expect(await accepted(one, 6)).toBe(6);
    shared.isAway = false;
    clock.advance(1_000);
    expect(await accepted(one, 1)).toBe(1);
    expect(await accepted(two, 30)).toBe(12);
  });

  it('a node waits half a second for an answer, then counts alone for a second', async () => {
    const { clock, one, shared } = nodes(20);
    shared.isSilent = true;
    const first = one.count(KEY);
    clock.advance(WAIT_MS);
    expect((await first).retryAfterSeconds).toBeNull();
    expect(await accepted(one, 30)).toBe(19);
    clock.advance(MINUTE_MS);
    shared.isSilent = false;
  });
});
