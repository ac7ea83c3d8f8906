import { expect, it, onTestFinished, vi } from 'vitest';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { LiveCall } from '../../../src/calls/live/live-call.ts';
import { END_WAIT_MS, LocalCallService } from '../../../src/calls/local-call-service.ts';
import type { EndOutcome } from '../../../src/cluster/node.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import type { OpenStatus } from '../../../src/storage/schema/call-status.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../storage/temporary-database.ts';

/** A stored call, and the service of a node that may run it. */
async function serviceWithCall(status: OpenStatus, elsewhere: EndOutcome = 'not_elsewhere') {
  const database = await temporaryDatabase();
  const { calls } = createRepositories(database);
  const call = newCall(await storeAgent(database), { status });
  await calls.createCall(call);
  const live = new Map<string, LiveCall>();
  const refuse = () => Promise.reject(new Error('no new call in this test'));
  const service = new LocalCallService({
    calls,
    staging: { begin: refuse, close: () => {}, forget: () => {} },
    outbound: { start: refuse },
    web: { start: refuse },
    liveCalls: { byId: live, endAll: () => {} },
    media: { capacity: () => ({ accepted: true }) },
    clock: new SimulatedClock(START_MS),
    settled: async () => {},
    node: { endElsewhere: async () => elsewhere, postElsewhere: async () => 'not_taken', holdsLease: () => true },
    onStored: () => {},
  });
  const statusOf = async () => (await calls.find(call.id))?.status;
  return { callId: call.id, calls, live, service, statusOf };
}

it('a call that no node runs yet is terminated by any node', async () => {
  const { callId, service, statusOf } = await serviceWithCall('initiated');
  expect([await service.terminate(callId), await statusOf()]).toEqual([true, 'canceled']);
  expect(await service.terminate(callId), 'it has ended').toBe(true);
});

it('a live call is terminated through its engine', async () => {
  const { callId, live, service } = await serviceWithCall('in_progress');
  const posted: unknown[] = [];
  live.set(callId, {
    callId,
    post: (command) => posted.push(command),
    rtp: null,
    ended: Promise.resolve('terminated'),
  });
  expect(await service.terminate(callId)).toBe(true);
  expect(posted).toEqual([{ type: 'call.terminate', reason: 'terminated' }]);
});

it.each([
  ['ended', true],
  ['not_ended', false],
] as const)('a call of another node with the outcome %s is terminated: %s', async (outcome, isTerminated) => {
  const { callId, service } = await serviceWithCall('in_progress', outcome);
  expect(await service.terminate(callId)).toBe(isTerminated);
});

it('a call in progress whose node has lost its lease is not terminated, and not changed', async () => {
  const { callId, service, statusOf } = await serviceWithCall('in_progress');
  expect([await service.terminate(callId), await statusOf()]).toEqual([false, 'in_progress']);
});

it('a second drain does not wait again for a call that does not end', async () => {
  const { callId, live, service } = await serviceWithCall('in_progress');
  live.set(callId, { callId, post: () => {}, rtp: null, ended: new Promise(() => {}) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const drains: string[] = [];
  void service.drain(0).then(() => drains.push('first'));
  await vi.advanceTimersByTimeAsync(END_WAIT_MS);
  void service.drain(0).then(() => drains.push('second'));
  await vi.advanceTimersByTimeAsync(0);
  expect(drains).toEqual(['first', 'second']);
});
