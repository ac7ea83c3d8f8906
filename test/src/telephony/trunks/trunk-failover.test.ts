import { expect, it } from 'vitest';
import type { OutboundOutcome, SipDialog } from '../../../../sip/signalling/signalling.ts';
import { TrunkFailover, type TrunkFailure, type TrunkRoute } from '../../../../src/telephony/trunks/trunk-failover.ts';
import { FakeAttempt } from './fake-attempt.ts';

const dialog: SipDialog = {
  sipCallId: 'x',
  recovery: () => null,
  bye: async () => {},
  onEnded: () => {},
  onOffer: () => {},
  onLateOffer: () => {},
  onDtmf: () => {},
  refer: () => {},
};
const refused = (status: number | null): OutboundOutcome => ({ type: 'refused', status, reason: `${status}` });
const answered: OutboundOutcome = { type: 'answered', dialog, answer: '' };
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Trunks whose attempts the test ends. Null stands for a trunk at its limits. */
function ways(...names: (string | null)[]) {
  const placed: FakeAttempt[] = [];
  const failures: TrunkFailure[] = [];
  const released: string[] = [];
  const list: TrunkRoute[] = names.map((name) => ({
    take: async () => (name === null ? null : () => void released.push(name)),
    begin: () => {
      if (name === 'throws') throw new Error('cannot be sent');
      const attempt = new FakeAttempt(name ?? '');
      placed.push(attempt);
      return attempt;
    },
    trunkId: name,
  }));
  const attempt = new TrunkFailover(list, (failure) => failures.push(failure));
  return { placed, failures, released, attempt };
}

/** As `ways`, once the first attempt has begun. */
async function begun(...names: (string | null)[]) {
  const made = ways(...names);
  await settle();
  return made;
}

it.each([408, 503, null])('%s before ringing leads to the next trunk; each is tried once', async (status) => {
  const { attempt, failures, placed } = await begun('a', 'b');
  placed[0]?.end(refused(status));
  await settle();
  expect(placed.map(({ sipCallId }) => sipCallId)).toEqual(['a', 'b']);
  expect(attempt.sipCallId).toBe('b');
  placed[1]?.end(answered);
  expect(await attempt.outcome).toBe(answered);
  expect(failures).toEqual([{ trunkId: 'a', nextTrunkId: 'b', reason: `${status}` }]);
});

it.each([486, 404, 603, 500, 401, 480])('%i ends the attempt without another trunk', async (status) => {
  const { attempt, placed } = await begun('a', 'b');
  placed[0]?.end(refused(status));
  expect(await attempt.outcome).toEqual(refused(status));
  expect(placed).toHaveLength(1);
});

it.each([refused(503), refused(408), { type: 'timeout' } as const])(
  'what rang is not tried elsewhere: %j',
  async (end) => {
    const { attempt, placed } = await begun('a', 'b');
    let rings = 0;
    attempt.onRinging(() => {
      rings += 1;
    });
    placed[0]?.ring();
    placed[0]?.end(end);
    expect(await attempt.outcome).toEqual(end);
    expect([placed.length, rings]).toEqual([1, 1]);
  },
);

it('skips a trunk at its limits or with an invalid request', async () => {
  const { attempt, failures, placed } = ways(null, 'throws', 'c');
  await settle();
  placed[0]?.end(answered);
  expect(await attempt.outcome).toBe(answered);
  expect(failures).toEqual([
    { trunkId: null, nextTrunkId: 'throws', reason: 'it is at its limits' },
    { trunkId: 'throws', nextTrunkId: 'c', reason: 'cannot be sent' },
  ]);
});

it('ends with the last response, and no next trunk, if no trunk accepts the call', async () => {
  const { attempt, failures, placed } = await begun('a', null, 'b');
  placed[0]?.end(refused(null));
  await settle();
  placed[1]?.end(refused(503));
  expect(await attempt.outcome).toEqual(refused(503));
  expect(failures.at(-1)).toEqual({ trunkId: 'b', nextTrunkId: null, reason: '503' });
  expect(await ways(null).attempt.outcome).toMatchObject({ type: 'refused', status: null });
});

it('tries no further trunk after a cancel', async () => {
  const { attempt, placed } = await begun('a', 'b');
  attempt.cancel();
  placed[0]?.end(refused(503));
  expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  expect([placed.length, placed[0]?.cancelled]).toEqual([1, true]);
});

it('reports no next trunk for a trunk that fails at the moment of a cancel', async () => {
  const { attempt, failures, placed } = await begun('a', 'b');
  placed[0]?.end(refused(503));
  attempt.cancel();
  expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  expect(failures).toEqual([{ trunkId: 'a', nextTrunkId: null, reason: '503' }]);
});

it('sends no INVITE, and returns the capacity, if it is cancelled while it takes capacity', async () => {
  const { attempt, placed, released } = ways('a', 'b');
  attempt.cancel();
  expect(await attempt.outcome).toEqual({ type: 'cancelled' });
  expect([placed, released]).toEqual([[], ['a']]);
});
