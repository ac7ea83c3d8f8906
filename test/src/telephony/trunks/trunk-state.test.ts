import { expect, it } from 'vitest';
import type { Reachability } from '../../../../src/telephony/trunks/trunk-pings.ts';
import { type TrunkStateSources, trunkStates } from '../../../../src/telephony/trunks/trunk-state.ts';

const REACHABLE: Reachability = { reachable: true, status: 200, roundTripMs: 20, error: null, sinceMs: 1_000 };
const SILENT: Reachability = { reachable: false, status: null, roundTripMs: null, error: 'no answer', sinceMs: 5_000 };
const REGISTERED = { status: 'registered', expiresAtMs: 9_000, error: null } as const;

type Report = Awaited<ReturnType<TrunkStateSources['reportsOfOthers']>>[number] & {
  readonly subject: 'registration' | 'reachability';
};

function sources(own: Partial<TrunkStateSources>, reports: readonly Report[] = []): TrunkStateSources {
  return {
    nodeId: 'one',
    registrations: { state: () => null },
    pings: { state: () => null },
    reportsOfOthers: async (subject, trunkIds) =>
      reports.filter((report) => report.subject === subject && trunkIds.includes(report.key)),
    ...own,
  };
}
const sees = (nodeId: string, body: unknown, subject: Report['subject'] = 'reachability'): Report => ({
  nodeId,
  subject,
  key: 'trunk',
  body,
});
const stateOf = async (from: TrunkStateSources) => (await trunkStates(from, ['trunk']))('trunk');

it('is of this node where there is only one', async () => {
  const alone = { nodeId: null, registrations: { state: () => REGISTERED }, pings: { state: () => REACHABLE } };
  expect(await stateOf(sources(alone))).toEqual({
    registration: { ...REGISTERED, nodeId: null },
    reachability: { ...REACHABLE, nodeId: null, unreachableNodes: [] },
  });
  expect(await stateOf(sources({}))).toEqual({ registration: null, reachability: null });
});

it('has the registration of the node that registers the trunk', async () => {
  const failed = { status: 'failed', expiresAtMs: null, error: 'the trunk answered 403' } as const;
  const own = { registrations: { state: () => failed } };
  expect((await stateOf(sources(own))).registration).toEqual({ ...failed, nodeId: 'one' });
  const both = await stateOf(sources(own, [sees('two', REGISTERED, 'registration')]));
  expect(both.registration).toEqual({ ...REGISTERED, nodeId: 'two' });
});

it('has the reachability of the node that reaches the trunk worst, on every node alike', async () => {
  const slow = { ...REACHABLE, roundTripMs: 90 };
  const earlier = { ...SILENT, sinceMs: 2_000 };
  const views = { one: REACHABLE, two: SILENT, three: slow, four: earlier };
  for (const [asked, own] of Object.entries(views)) {
    const others = Object.entries(views).flatMap(([id, view]) => (id === asked ? [] : [sees(id, view)]));
    const { reachability } = await stateOf(sources({ nodeId: asked, pings: { state: () => own } }, others));
    expect(reachability, asked).toEqual({ ...earlier, nodeId: 'four', unreachableNodes: ['four', 'two'] });
  }
  const reached = await stateOf(sources({ pings: { state: () => REACHABLE } }, [sees('three', slow)]));
  expect(reached.reachability).toEqual({ ...slow, nodeId: 'three', unreachableNodes: [] });
});

it('leaves out reports of another version that cannot be read', async () => {
  const { reachability } = await stateOf(
    sources({ pings: { state: () => REACHABLE } }, [sees('two', { isReachable: false })]),
  );
  expect(reachability).toEqual({ ...REACHABLE, nodeId: 'one', unreachableNodes: [] });
});
