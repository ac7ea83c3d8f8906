import { beforeEach, describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { RegistrationKeeper, type RegistrationState } from '../../../sip/signalling/registration-keeper.ts';
import type { RegisterOutcome, RegisterRequest } from '../../../sip/signalling/signalling.ts';

const ORDER = {
  trunk: { host: 'registrar.example', port: null, transport: 'udp' },
  credentials: { username: 'alice', password: 'secret' },
  sipCallId: 'one-for-all',
} as const;

let clock: SimulatedClock;
let orders: { readonly atMs: number; readonly expires: number; readonly cseq: number }[];
let answers: ((cseq: number) => RegisterOutcome | Promise<RegisterOutcome>)[];
let states: RegistrationState[];
let random: number;

const granted =
  (expiresSeconds: number, connection: string | null = null) =>
  (cseq: number): RegisterOutcome => ({ type: 'registered', expiresSeconds, cseq: cseq + 1, connection });
const refused =
  (status: number | null, retryAfterSeconds: number | null = null) =>
  (cseq: number): RegisterOutcome => ({ type: 'refused', status, reason: `${status}`, retryAfterSeconds, cseq });

function keeper(): RegistrationKeeper {
  return new RegistrationKeeper({
    request: ORDER,
    register: async ({ cseq, expiresSeconds }: RegisterRequest) => {
      orders.push({ atMs: clock.nowMs(), expires: expiresSeconds, cseq });
      return (answers.shift() ?? granted(3_600))(cseq);
    },
    clock,
    random: () => random,
    onState: (state) => states.push(state),
  });
}

/** The connection, and the time to the next registration with random 0. */
const LOSSES = [
  ['tcp 192.0.2.1 5060', 15_000],
  ['tcp 192.0.2.1 5060', 30_000],
  [null, 60_000],
] as const;

/** Lets everything happen that waits for no time. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

beforeEach(() => {
  clock = new SimulatedClock();
  orders = [];
  answers = [];
  states = [];
  random = 0;
});

describe('a registration', () => {
  test('is refreshed before it expires, its CSeq rising past those of challenges', async () => {
    const one = keeper();
    one.start();
    await settle();
    expect(one.state).toEqual({ status: 'registered', expiresAtMs: 3_600_000, error: null });
    await advance(3_529_999);
    expect(orders).toHaveLength(1);
    await advance(1);
    expect(orders).toEqual([
      { atMs: 0, expires: 3_600, cseq: 1 },
      { atMs: 3_530_000, expires: 3_600, cseq: 3 },
    ]);
  });

  test.each([
    [60, 0, 30],
    [60, 0.5, 28.5],
    [8, 0, 5],
    [200, 0, 130],
    [10_000_000, 0, 86_330],
  ])('of %i s is refreshed, with a jitter of %f, after %f s', async (seconds, jitter, after) => {
    random = jitter;
    answers = [granted(seconds)];
    keeper().start();
    await settle();
    await advance(after * 1_000 - 1);
    expect(orders).toHaveLength(1);
    await advance(1);
    expect(orders).toHaveLength(2);
  });

  test('is asked for again at once with the least that the registrar wants, and so from then on', async () => {
    answers = [(cseq) => ({ type: 'too_brief', minimumSeconds: 7_200, cseq }), granted(7_200)];
    const one = keeper();
    one.start();
    await settle();
    expect(orders.map(({ atMs, expires, cseq }) => [atMs, expires, cseq])).toEqual([
      [0, 3_600, 1],
      [0, 7_200, 2],
    ]);
    await advance(7_200_000);
    expect(orders.at(-1)?.expires).toBe(7_200);
  });

  test('that the registrar would have without an end of «too brief» is a failure, not a loop', async () => {
    const brief = (cseq: number): RegisterOutcome => ({ type: 'too_brief', minimumSeconds: 999_999_999, cseq });
    answers = [brief, brief];
    const one = keeper();
    one.start();
    await settle();
    expect(orders.map(({ expires }) => expires)).toEqual([3_600, 86_400]);
    expect(one.state).toMatchObject({ status: 'failed', error: expect.any(String) });
  });

  test('that fails is tried again after a wait that doubles to half an hour', async () => {
    answers = Array.from({ length: 9 }, () => refused(503));
    keeper().start();
    await settle();
    // With random 0 each wait is half of its whole.
    const waits = [15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000];
    for (const [index, wait] of waits.entries()) {
      await advance(wait - 1);
      expect(orders).toHaveLength(index + 1);
      await advance(1);
      expect(orders).toHaveLength(index + 2);
    }
  });

  test('whose connection is lost is made again soon, after a wait that doubles where that happens at once', async () => {
    answers = Array.from({ length: 5 }, () => granted(3_600, 'tcp 192.0.2.1 5060'));
    const one = keeper();
    one.start();
    await settle();
    one.connectionLost('tcp 192.0.2.9 5060');
    await advance(120_000);
    expect(orders).toHaveLength(1);
    for (const [index, [name, wait]] of LOSSES.entries()) {
      one.connectionLost(name);
      one.connectionLost(name);
      expect(one.state).toMatchObject({ status: 'registered', error: 'the connection was lost' });
      await advance(wait - 1);
      expect(orders).toHaveLength(index + 1);
      await advance(1);
      expect(orders).toHaveLength(index + 2);
      expect(one.state).toMatchObject({ status: 'registered', error: null });
    }
    await advance(120_000);
    one.connectionLost(null);
    await advance(15_000);
    expect(orders).toHaveLength(5);
    await one.stop();
    one.connectionLost(null);
    await advance(10_000_000);
    expect(orders).toHaveLength(6);
  });

  test('over UDP has no connection to lose', async () => {
    const one = keeper();
    one.start();
    await settle();
    one.connectionLost(null);
    await advance(1_800_000);
    expect(orders).toHaveLength(1);
  });

  test('waits as long as Retry-After says, but not for ever', async () => {
    answers = [refused(503, 100), refused(503, 999_999)];
    keeper().start();
    await settle();
    await advance(99_999);
    expect(orders).toHaveLength(1);
    await advance(1);
    expect(orders).toHaveLength(2);
    await advance(1_800_000);
    expect(orders).toHaveLength(3);
  });

  test('stands on while a refresh fails, and no longer than it was granted', async () => {
    answers = [granted(600), refused(null), refused(403), refused(403), refused(403)];
    const one = keeper();
    one.start();
    await settle();
    await advance(530_000);
    expect(one.state).toEqual({ status: 'registered', expiresAtMs: 600_000, error: 'null' });
    await advance(69_999);
    expect(one.state.status).toBe('registered');
    await advance(1);
    expect(one.state).toMatchObject({ status: 'failed', expiresAtMs: null, error: '403' });
  });

  test('is taken back at the end, and never asked for again', async () => {
    const one = keeper();
    one.start();
    await settle();
    await one.stop();
    await one.stop();
    expect(orders.map(({ expires }) => expires)).toEqual([3_600, 0]);
    expect(one.state).toEqual({ status: 'unregistered', expiresAtMs: null, error: null });
    await advance(10_000_000);
    expect(orders).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  test('that never came is not taken back', async () => {
    answers = [refused(403)];
    const one = keeper();
    one.start();
    await settle();
    await one.stop();
    expect(orders).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('that is on its way at the end is awaited, and taken back once it stands', async () => {
    const answer = Promise.withResolvers<RegisterOutcome>();
    answers = [() => answer.promise];
    const one = keeper();
    one.start();
    const stopped = one.stop();
    answer.resolve(granted(3_600)(1));
    await stopped;
    expect(orders.map(({ expires }) => expires)).toEqual([3_600, 0]);
    expect(clock.pending).toBe(0);
  });

  test('whose registrar is gone keeps a drain two seconds', async () => {
    answers = [granted(3_600), () => new Promise(() => {})];
    const one = keeper();
    one.start();
    await settle();
    let stopped = false;
    void one.stop().then(() => {
      stopped = true;
    });
    await advance(1_999);
    expect(stopped).toBe(false);
    await advance(1);
    expect(stopped).toBe(true);
  });
});
