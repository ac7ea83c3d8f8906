import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import type { PingOutcome } from '../../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';
import { INTERVAL_MS } from '../../../../src/telephony/trunks/reachability-history.ts';
import { TrunkPings } from '../../../../src/telephony/trunks/trunk-pings.ts';
import { trunkRecord } from './trunk-record.ts';

const TRUNK = trunkRecord({
  id: 'carrier',
  terminationUri: 'sip.example.com:5070',
  transport: 'tcp',
  optionsIntervalSeconds: 60,
});

/** Each ping waits for `answer`; each read returns the trunks of `stored`. */
function rig() {
  const clock = new SimulatedClock();
  const sent: { readonly to: string; readonly answer: (outcome: PingOutcome) => void }[] = [];
  const logged: string[] = [];
  const changes: (boolean | undefined)[] = [];
  const rig = { stored: async (): Promise<SipTrunkRecord[]> => [TRUNK], clock, sent, logged };
  const pings: TrunkPings = new TrunkPings({
    trunks: { pinged: () => rig.stored() },
    signalling: {
      ping: ({ host, port, transport }) =>
        new Promise((answer) => sent.push({ to: `${host}:${port} ${transport}`, answer })),
    },
    clock,
    log: {
      info: (_: object, text?: string) => logged.push(`${text}`),
      warn: (_: object, text?: string) => logged.push(`${text}`),
    },
    onChange: () => changes.push(pings.state('carrier')?.reachable),
  });
  const answer = async (outcome: PingOutcome) => {
    sent.at(-1)?.answer(outcome);
    await settled();
  };
  return Object.assign(rig, { pings, answer, changes });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const answered = (status: number, roundTripMs = 20): PingOutcome => ({ type: 'answered', status, roundTripMs });
const SILENT: PingOutcome = { type: 'unanswered', reason: 'no answer' };

it('reports the first result and each change of reachability', async () => {
  const { answer, changes, clock, pings } = rig();
  await pings.refresh();
  for (const outcome of [answered(200), answered(200), SILENT, answered(503), answered(200)]) {
    await answer(outcome);
    clock.advance(60_000);
  }
  expect(changes).toEqual([true, false, true]);
});

it('pings a trunk at once, then an interval after each response, one ping at a time', async () => {
  const { sent, answer, clock, pings } = rig();
  await pings.refresh();
  expect(sent.map(({ to }) => to)).toEqual(['sip.example.com:5070 tcp']);
  expect(pings.state('carrier')).toBeNull();
  expect(pings.isUnreachable('carrier'), 'nothing is known of it').toBe(false);
  clock.advance(300_000);
  await settled();
  expect(sent, 'the first is not answered').toHaveLength(1);
  await answer(answered(200));
  expect(pings.state('carrier')).toMatchObject({ reachable: true, status: 200, roundTripMs: 20, error: null });
  clock.advance(59_999);
  expect(sent).toHaveLength(1);
  clock.advance(1);
  expect(sent).toHaveLength(2);
});

it.each([
  ['405', answered(405), true],
  ['200', answered(200), true],
  ['503', answered(503), false],
  ['408', answered(408), false],
  ['nothing', SILENT, false],
])('a trunk that answers %s has the expected reachability', async (_case, outcome, reachable) => {
  const { answer, pings } = rig();
  await pings.refresh();
  await answer(outcome);
  expect(pings.state('carrier')?.reachable).toBe(reachable);
  expect(pings.isUnreachable('carrier')).toBe(!reachable);
});

it('keeps the time of the change, logs it once, and restores the trunk with ctx first response', async () => {
  const { answer, clock, logged, pings } = rig();
  await pings.refresh();
  await answer(answered(200));
  const beganMs = clock.wallMs();
  for (let i = 0; i < 2; i++) {
    clock.advance(60_000);
    await answer(SILENT);
  }
  expect(pings.state('carrier')).toEqual({
    reachable: false,
    status: null,
    roundTripMs: null,
    error: 'no answer',
    sinceMs: beganMs + 60_000,
  });
  clock.advance(60_000);
  await answer(answered(404));
  expect(pings.state('carrier')).toMatchObject({ reachable: true, sinceMs: beganMs + 180_000 });
  expect(logged).toHaveLength(3);
  expect([...pings.states().keys()]).toEqual(['carrier']);
});

it('pings a changed trunk at once, stops pinging a deleted trunk, and ignores a late response to old settings', async () => {
  const ctx = rig();
  await ctx.pings.refresh();
  ctx.stored = async () => [{ ...TRUNK, terminationUri: 'other.example.com' }];
  await ctx.pings.refresh();
  expect(ctx.sent.map(({ to }) => to)).toEqual(['sip.example.com:5070 tcp', 'other.example.com:null tcp']);
  ctx.sent[0]?.answer(SILENT);
  await settled();
  expect(ctx.pings.state('carrier')).toBeNull();
  await ctx.answer(answered(200));
  ctx.stored = async () => [{ ...TRUNK, terminationUri: 'other.example.com', name: 'Renamed' }];
  await ctx.pings.refresh();
  expect(ctx.pings.state('carrier')?.reachable, 'a new name is no new trunk').toBe(true);
  ctx.stored = async () => [];
  await ctx.pings.refresh();
  expect(ctx.pings.state('carrier')).toBeNull();
  ctx.clock.advance(29_999);
  expect(ctx.sent).toHaveLength(2);
});

it('keeps the previous trunks after a failed read, and reads again', async () => {
  const ctx = rig();
  await ctx.pings.refresh();
  await ctx.answer(answered(200));
  ctx.stored = async () => Promise.reject(new Error('no database'));
  await ctx.pings.refresh();
  expect(ctx.pings.state('carrier')?.reachable).toBe(true);
  ctx.stored = async () => [];
  ctx.clock.advance(30_000);
  await settled();
  expect(ctx.pings.state('carrier')).toBeNull();
});

it('sends no ping and leaves no timer after stop', async () => {
  const { answer, sent, clock, pings } = rig();
  await pings.refresh();
  await answer(answered(200));
  await pings.stop();
  await pings.refresh();
  clock.advance(600_000);
  expect(sent).toHaveLength(1);
  expect(pings.states().size).toBe(0);
});

it('keeps the checks of the last day by half hours, with the share that was reachable and the mean round trip', async () => {
  const { answer, clock, pings, sent } = rig();
  const DAY_MS = 24 * 60 * 60 * 1_000;
  await pings.refresh();
  await answer(answered(200, 20));
  for (const outcome of [answered(200, 40), answered(503, 30), SILENT]) {
    clock.advance(60_000);
    await answer(outcome);
  }
  const [first, ...others] = pings.history('carrier');
  expect(others).toEqual([]);
  expect(first).toEqual({ startMs: expect.any(Number), checks: 4, reachable: 2, answered: 3, roundTripMs: 30 });
  expect((first?.startMs ?? 1) % INTERVAL_MS).toBe(0);
  for (let pingsSent = sent.length; clock.wallMs() < (first?.startMs ?? 0) + 2 * DAY_MS; pingsSent = sent.length) {
    clock.advance(60_000);
    if (sent.length > pingsSent) await answer(answered(200));
  }
  const lastDay = pings.history('carrier');
  expect(lastDay).toHaveLength(48);
  expect(lastDay.at(-1)?.startMs).toBe((lastDay[0]?.startMs ?? 0) + 47 * INTERVAL_MS);
  expect(pings.history('unknown')).toEqual([]);
});

it('begins the history again with another address of the trunk', async () => {
  const test = rig();
  await test.pings.refresh();
  await test.answer(answered(200));
  test.stored = async () => [{ ...TRUNK, terminationUri: 'other.example.com' }];
  await test.pings.refresh();
  expect(test.pings.history('carrier')).toEqual([]);
});
