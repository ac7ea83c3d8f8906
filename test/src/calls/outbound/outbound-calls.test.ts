import { expect, it } from 'vitest';
import { MediaServiceError } from '../../../../sip/media/media-service-error.ts';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import { OutboundCalls } from '../../../../src/calls/outbound/outbound-calls.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import type { SipTrunkRecord } from '../../../../src/storage/telephony/sip-trunk-repository.ts';
import { LocalCallRate } from '../../../../src/telephony/trunks/call-rate.ts';
import { TrunkCapacity } from '../../../../src/telephony/trunks/trunk-capacity.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';
import { trunkRecord } from '../../telephony/trunks/trunk-record.ts';

const never = (): never => {
  throw new Error('must not be called');
};

it('counts a call from its admission until it is live or has failed, and reports its stored end', async () => {
  const database = await temporaryDatabase();
  const { agents, calls } = createRepositories(database);
  const { agentId, fromNumber, organizationId, toNumber } = newCall(await storeAgent(database));
  const trunk = trunkRecord({ organizationId });
  const trunks = Promise.withResolvers<SipTrunkRecord[]>();
  const opening = Promise.withResolvers<void>();
  const noRoom = new MediaServiceError('no_port', 'No RTP port is free');
  const faults: { readonly callId: string; readonly error: unknown }[] = [];
  const stored: string[] = [];
  const outbound = new OutboundCalls({
    calls,
    trunks: { all: () => trunks.promise },
    secrets: { open: never },
    capacity: new TrunkCapacity(new LocalCallRate(() => 0)),
    isUnreachable: () => false,
    callRate: new LocalCallRate(() => 0),
    organizationLimits: { maxConcurrentCalls: null, maxCallsPerSecond: null },
    cache: new AgentCache(agents),
    liveCalls: { launch: never, openMedia: () => opening.promise.then(() => Promise.reject(noRoom)) },
    // There is room for one call.
    media: {
      capacity: () => (outbound.inProgress < 1 ? { accepted: true } : { accepted: false, retryAfterSeconds: 2 }),
    },
    signalling: { invite: never },
    negotiation: never,
    peerOf: never,
    clock: { wallMs: () => START_MS, nowUs: () => 0, after: never },
    ringTimeoutMs: 0,
    destinations: (destination) => ({ ok: true, destination }),
    bridge: never,
    onLeg: never,
    onStored: (callId) => stored.push(callId),
    onFault: (callId, error) => faults.push({ callId, error }),
    onTrunkFailed: never,
  });
  const request = {
    organizationId,
    agentId: agentId ?? '',
    agentVersion: 1,
    dynamicVariables: {},
    agentOverrides: null,
    fromNumber: fromNumber ?? '',
    toNumber: toNumber ?? '',
    idempotent: null,
    trunkId: trunk.id,
    customHeaders: {},
  };
  const placed = Promise.allSettled([outbound.start(request), outbound.start(request)]);
  trunks.resolve([trunk]);
  expect(await placed).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { refusal: 'overloaded' } },
  ]);
  expect(outbound.inProgress).toBe(1);
  opening.resolve();
  await outbound.settled();
  expect(faults).toMatchObject([{ error: noRoom }]);
  expect(stored).toEqual([faults[0]?.callId]);
  expect(outbound.inProgress).toBe(0);
  expect(await calls.find(faults[0]?.callId ?? '')).toMatchObject({ status: 'failed', endReason: 'media_error' });
});
