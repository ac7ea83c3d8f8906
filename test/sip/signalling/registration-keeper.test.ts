import { beforeEach, describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { RegistrationKeeper, type RegistrationState } from '../../../sip/signalling/registration-keeper.ts';
import type { RegisterOutcome, RegisterRequest } from '../../../sip/signalling/signalling.ts';

const REGISTRATION = {
  trunk: { host: 'registrar.example', port: null, transport: 'udp' },
  credentials: { username: 'alice', password: 'secret' },
  sipCallId: 'registration',
} as const;

/** An hour, less the margin for two REGISTERs with all retransmissions. */
const REFRESH_AFTER_MS = (3_600 - 70) * 1_000;

let clock: SimulatedClock;
let requests: { readonly atMs: number; readonly expires: number; readonly cseq: number }[];
let answers: ((cseq: number) => RegisterOutcome | Promise<RegisterOutcome>)[];
let states: RegistrationState[];
let random: number;

const grant =
  (expiresSeconds: number, connection: string | null = null) =>
  (cseq: number): RegisterOutcome => ({
    type: 'registered',
    contact: null,
    expiresSeconds,
    cseq: cseq + 1,
    connection,
  });
const refuse =
  (status: number | null, retryAfterSeconds: number | null = null) =>
  (cseq: number): RegisterOutcome => ({ type: 'refused', status, reason: `${status}`, retryAfterSeconds, cseq });

function makeKeeper(): RegistrationKeeper {
  return new RegistrationKeeper({
    request: REGISTRATION,
    register: async ({ cseq, expiresSeconds }: RegisterRequest) => {
      requests.push({ atMs: clock.nowMs(), expires: expiresSeconds, cseq });
      return (answers.shift() ?? grant(3_600))(cseq);
    },
    clock,
    random: () => random,
    onState: (state) => states.push(state),
  });
}

/** Lost connections, and the time in ms to the next registration with random 0. */
const LOSSES = [
  ['tcp 192.0.2.1 5060', 15_000],
  ['tcp 192.0.2.1 5060', 30_000],
  [null, 60_000],
] as const;

/** Lets pending promises settle. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

async function advance(ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

beforeEach(() => {
  clock = new SimulatedClock();
  requests = [];
  answers = [];
  states = [];
  random = 0;
});

describe('a registration', () => {
  it('is refreshed before it expires, with a CSeq above those of challenges', async () => {
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    expect(keeper.state).toEqual({ status: 'registered', expiresAtMs: 3_600_000, error: null });
    await advance(REFRESH_AFTER_MS - 1);
    expect(requests).toHaveLength(1);
    await advance(1);
    expect(requests).toEqual([
      { atMs: 0, expires: 3_600, cseq: 1 },
      { atMs: REFRESH_AFTER_MS, expires: 3_600, cseq: 3 },
    ]);
  });

  it.each([
    [60, 0, 30],
    [60, 0.5, 28.5],
    [8, 0, 5],
    [200, 0, 130],
    [10_000_000, 0, 86_330],
  ])('of %i s with the random value %f is refreshed after %f s', async (seconds, jitter, after) => {
    random = jitter;
    answers = [grant(seconds)];
    makeKeeper().start();
    await settle();
    await advance(after * 1_000 - 1);
    expect(requests).toHaveLength(1);
    await advance(1);
    expect(requests).toHaveLength(2);
  });

  it('is repeated at once with the minimum expiry of the registrar, which it keeps', async () => {
    answers = [(cseq) => ({ type: 'too_brief', minimumSeconds: 7_200, cseq }), grant(7_200)];
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    expect(requests.map(({ atMs, expires, cseq }) => [atMs, expires, cseq])).toEqual([
      [0, 3_600, 1],
      [0, 7_200, 2],
    ]);
    await advance(7_200_000);
    expect(requests.at(-1)?.expires).toBe(7_200);
  });

  it('fails when the registrar rejects its own minimum expiry as too brief', async () => {
    const brief = (cseq: number): RegisterOutcome => ({ type: 'too_brief', minimumSeconds: 999_999_999, cseq });
    answers = [brief, brief];
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    expect(requests.map(({ expires }) => expires)).toEqual([3_600, 86_400]);
    expect(keeper.state).toMatchObject({ status: 'failed', error: expect.any(String) });
  });

  it('is retried after waits that double up to half an hour', async () => {
    answers = Array.from({ length: 9 }, () => refuse(503));
    makeKeeper().start();
    await settle();
    // With random 0 each wait is halved.
    const waits = [15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000];
    for (const [index, wait] of waits.entries()) {
      await advance(wait - 1);
      expect(requests).toHaveLength(index + 1);
      await advance(1);
      expect(requests).toHaveLength(index + 2);
    }
  });

  it('is renewed when its connection is lost, after waits that double if the losses follow each other', async () => {
    answers = Array.from({ length: 5 }, () => grant(3_600, 'tcp 192.0.2.1 5060'));
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    keeper.connectionLost('tcp 192.0.2.9 5060');
    await advance(120_000);
    expect(requests).toHaveLength(1);
    for (const [index, [name, wait]] of LOSSES.entries()) {
      keeper.connectionLost(name);
      keeper.connectionLost(name);
      expect(keeper.state).toMatchObject({ status: 'registered', error: 'the connection was lost' });
      await advance(wait - 1);
      expect(requests).toHaveLength(index + 1);
      await advance(1);
      expect(requests).toHaveLength(index + 2);
      expect(keeper.state).toMatchObject({ status: 'registered', error: null });
    }
    await advance(120_000);
    keeper.connectionLost(null);
    await advance(15_000);
    expect(requests).toHaveLength(5);
    await keeper.stop();
    keeper.connectionLost(null);
    await advance(10_000_000);
    expect(requests).toHaveLength(6);
  });

  it('ignores lost connections over UDP', async () => {
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    keeper.connectionLost(null);
    await advance(1_800_000);
    expect(requests).toHaveLength(1);
  });

  it('is retried after Retry-After, at most half an hour later', async () => {
    answers = [refuse(503, 100), refuse(503, 999_999)];
    makeKeeper().start();
    await settle();
    await advance(99_999);
    expect(requests).toHaveLength(1);
    await advance(1);
    expect(requests).toHaveLength(2);
    await advance(1_800_000);
    expect(requests).toHaveLength(3);
  });

  it('stays registered until its expiry when refreshes fail', async () => {
    answers = [grant(600), refuse(null), refuse(403), refuse(403), refuse(403)];
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    await advance(530_000);
    expect(keeper.state).toEqual({ status: 'registered', expiresAtMs: 600_000, error: 'null' });
    await advance(69_999);
    expect(keeper.state.status).toBe('registered');
    await advance(1);
    expect(keeper.state).toMatchObject({ status: 'failed', expiresAtMs: null, error: '403' });
  });

  it('is removed by `stop`, and not renewed', async () => {
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    await keeper.stop();
    await keeper.stop();
    expect(requests.map(({ expires }) => expires)).toEqual([3_600, 0]);
    expect(keeper.state).toEqual({ status: 'unregistered', expiresAtMs: null, error: null });
    await advance(10_000_000);
    expect(requests).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('is not removed by `stop` if it never succeeded', async () => {
    answers = [refuse(403)];
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    await keeper.stop();
    expect(requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('in progress is awaited by `stop`, then removed', async () => {
    const answer = Promise.withResolvers<RegisterOutcome>();
    answers = [() => answer.promise];
    const keeper = makeKeeper();
    keeper.start();
    const stopped = keeper.stop();
    answer.resolve(grant(3_600)(1));
    await stopped;
    expect(requests.map(({ expires }) => expires)).toEqual([3_600, 0]);
    expect(clock.pending).toBe(0);
  });

  it('is given up by `stop` after two seconds without a response', async () => {
    answers = [grant(3_600), () => new Promise(() => {})];
    const keeper = makeKeeper();
    keeper.start();
    await settle();
    let stopped = false;
    void keeper.stop().then(() => {
      stopped = true;
    });
    await advance(1_999);
    expect(stopped).toBe(false);
    await advance(1);
    expect(stopped).toBe(true);
  });
});
