import { expect, it } from 'vitest';
import { MediaServiceError } from '../../../../sip/media/media-service-error.ts';
import type { InboundInvite } from '../../../../sip/signalling/signalling.ts';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import { InboundCalls, type InboundCallsOptions } from '../../../../src/calls/inbound/inbound-calls.ts';
import type { CallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import type { PhoneNumberRecord } from '../../../../src/storage/telephony/phone-number-repository.ts';
import { newCall, onEachDatabase, START_MS, storeAgent, testConfiguration } from '../../storage/temporary-database.ts';

const LOST = new DatabaseError('unavailable', 'the connection was lost after COMMIT');
/** Ends of calls that wait for the database at most. */
const WAITING_ENDS_MAX = 1_000;

const never = (): never => {
  throw new Error('must not be called');
};

const REDIRECTED: PhoneNumberRecord = {
  id: 'number',
  organizationId: '00000000-0000-4000-8000-000000000001',
  number: '+4930123456',
  name: 'Redirected',
  type: 'pstn',
  inboundAgentId: null,
  redirect: true,
  redirectPhoneNumber: '+4930654321',
  redirectMode: 'bridge',
  sipUri: null,
  trunkId: null,
  lookupWebhookUrl: null,
  sipHeaderVariables: [],
  createdMs: START_MS,
};

const ACCEPTED = {
  type: 'accepted',
  agent: {
    agentId: 'agent',
    agentVersion: 1,
    isOverridden: false,
    configuration: testConfiguration,
    sealedSecrets: new Map(),
  },
  agentOverrides: null,
  dynamicVariables: {},
  untrustedVariables: [],
} as const;

function inviteTo(callId: string | null, sipCallId: string): InboundInvite & { readonly refused: number[] } {
  const refused: number[] = [];
  return {
    refused,
    sipCallId,
    uri: 'sip:agent@192.0.2.1',
    dialled: 'agent',
    addressee: 'agent',
    caller: '+4915112345678',
    serviceCallId: callId,
    source: { address: '198.51.100.9', port: 5060, transport: 'udp' },
    header: () => null,
    offer: null,
    answer: null,
    recovery: null,
    ring: () => {},
    refuse: (status) => void refused.push(status),
    accept: async () => null,
    cancelled: false,
    onCancelled: () => {},
  };
}

const OF_INVITE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const OF_API = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

onEachDatabase((temporaryDatabase) => {
  /** Sends an INVITE to a staged call. The test scripts the claim. */
  async function inviteStagedCall(claimStaged: (calls: CallRepository) => CallRepository['claimStaged']) {
    const database = await temporaryDatabase();
    const { calls } = createRepositories(database);
    const call = newCall(await storeAgent(database));
    await calls.createCall(call);
    const patch = { stagingDeadlineMs: START_MS + 60_000 };
    await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch });
    const { faults, inbound, stored } = inboundCalls(database, {
      calls: { ...calls, claimStaged: claimStaged(calls) },
    });
    const invite = inviteTo(call.id, 'ours');
    inbound.handle(invite);
    await inbound.settled();
    const { status, sipCallId } = (await calls.find(call.id)) ?? {};
    expect(stored, 'calls with new events').toEqual([call.id]);
    return { refused: invite.refused[0], faults, status, sipCallId };
  }

  /** Calls on the database; what `parts` does not replace allows every INVITE and makes no call. */
  function inboundCalls(database: Database, parts: Partial<InboundCallsOptions>) {
    const { agents, calls, phoneNumbers, sipTrunks } = createRepositories(database);
    const faults: unknown[] = [];
    const stored: string[] = [];
    const inbound = new InboundCalls({
      calls,
      numberCalls: { decide: never },
      numbers: phoneNumbers,
      trunks: sipTrunks,
      policy: {
        allowsLookUp: () => true,
        decide: async () => ({ type: 'allowed', trunks: [], isSourceTrusted: true }),
        recordUnknownTarget: () => {},
      },
      capacity: { take: () => ({ type: 'taken', release: () => {} }) },
      staging: { settled: async () => true, forget: () => {} },
      cache: new AgentCache(agents),
      liveCalls: { openMedia: never, launch: never },
      media: { capacity: () => ({ accepted: true }) },
      sessions: { open: never, tryAnswer: never },
      bridge: never,
      redirected: { begin: never, isCircle: never, storeSentAway: never },
      destinations: (destination) => ({ ok: true, destination }),
      onLeg: () => {},
      clock: { wallMs: () => START_MS, nowUs: () => 0, after: never },
      draining: () => false,
      onStored: (callId) => stored.push(callId),
      onFault: (error) => faults.push(error),
      comparesStagedNumber: false,
      onRefused: () => {},
      ...parts,
    });
    return { faults, inbound, stored };
  }

  it('a failed claim leaves the call to the caller that claimed it', async () => {
    const lost = await inviteStagedCall((calls) => async (callId, nowMs) => {
      await calls.claimStaged(callId, nowMs, { sipCallId: 'of the winner' });
      throw LOST;
    });
    expect(lost).toEqual({ refused: 500, faults: [LOST], status: 'ringing', sipCallId: 'of the winner' });
  });

  it('a claim that was stored despite an error ends its call, because its caller was refused', async () => {
    const stored = await inviteStagedCall((calls) => async (...parameters) => {
      await calls.claimStaged(...parameters);
      throw LOST;
    });
    expect(stored).toEqual({ refused: 500, faults: [LOST], status: 'failed', sipCallId: 'ours' });
  });

  it.each([
    ['a trusted source without a trace of the API', true, null, OF_INVITE],
    ['a trusted source, whose call the API has traced', true, OF_API, OF_API],
    ['an unknown source', false, null, null],
  ])('traceparent of the INVITE of %s', async (_, isSourceTrusted, ofApi, expected) => {
    const database = await temporaryDatabase();
    const { calls } = createRepositories(database);
    const call = newCall(await storeAgent(database), { traceparent: ofApi });
    await calls.createCall(call);
    const patch = { stagingDeadlineMs: START_MS + 60_000 };
    await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch });
    const { inbound } = inboundCalls(database, {
      policy: {
        allowsLookUp: () => true,
        decide: async () => ({ type: 'allowed', trunks: [], isSourceTrusted }),
        recordUnknownTarget: () => {},
      },
    });
    inbound.handle({
      ...inviteTo(call.id, 'ours'),
      header: (name) => (name === 'traceparent' ? OF_INVITE : null),
    });
    await inbound.settled();
    expect(await calls.find(call.id)).toMatchObject({ sipCallId: 'ours', traceparent: expected });
  });

  it('counts the INVITEs of a burst from the first one on, and none against itself', async () => {
    const database = await temporaryDatabase();
    const created: string[] = [];
    const { inbound } = inboundCalls(database, {
      calls: {
        ...createRepositories(database).calls,
        createCall: async ({ id }) => void created.push(id),
        setStatus: async () => true,
        find: async () => null,
      },
      numbers: { findByNumber: async () => ({ ...REDIRECTED, redirect: false, inboundAgentId: 'agent' }) },
      numberCalls: { decide: async () => ACCEPTED },
      // There is room for one call.
      media: {
        capacity: (counted = 0) =>
          inbound.inProgress - counted < 1 ? { accepted: true } : { accepted: false, retryAfterSeconds: 2 },
      },
    });
    const burst = ['first', 'second', 'third'].map((sipCallId) => inviteTo(null, sipCallId));
    for (const invite of burst) inbound.handle(invite);
    await inbound.settled();
    expect(burst.map(({ refused }) => refused)).toEqual([[], [503], [503]]);
    expect(created).toHaveLength(1);
    expect(inbound.inProgress).toBe(0);
  });

  it('a redirected call that cannot begin is refused before its end is stored', async () => {
    const database = await temporaryDatabase();
    const steps: string[] = [];
    const fault = new Error('no free port');
    const { faults, inbound } = inboundCalls(database, {
      numbers: { findByNumber: async () => REDIRECTED },
      calls: {
        ...createRepositories(database).calls,
        finish: async (_callId, { endReason, status }) => {
          steps.push(`${status} ${endReason}`);
          return true;
        },
      },
      redirected: { begin: () => Promise.reject(fault), isCircle: async () => false, storeSentAway: never },
    });
    inbound.handle({ ...inviteTo(null, 'ours'), refuse: (status) => void steps.push(`SIP ${status}`) });
    await inbound.settled();
    expect(steps.slice(0, 2)).toEqual(['SIP 500', 'failed internal_error']);
    expect(faults).toEqual([fault]);
  });

  it.each([
    ['media_error', new MediaServiceError('no_port', 'No RTP port is free')],
    ['internal_error', new Error('the agent could not be read')],
  ])('a call that cannot start ends as %s', async (endReason, fault) => {
    const { call, inbound } = await failingCall(fault);
    inbound.handle(inviteTo(null, 'ours'));
    await inbound.settled();
    expect(await call()).toMatchObject({ status: 'failed', endReason });
  });

  it('a failed call frees its capacity before its end is stored', async () => {
    const released = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    const { call, inbound } = await failingCall(new Error('no answer'), {
      capacity: { take: () => ({ type: 'taken', release: released.resolve }) },
      beforeFinish: () => stored.promise,
    });
    inbound.handle(inviteTo(null, 'ours'));
    await released.promise;
    expect(await call()).toMatchObject({ status: 'ringing' });
    stored.resolve();
    await inbound.settled();
    expect(await call()).toMatchObject({ status: 'failed' });
  });

  /** A call to a number whose media cannot be opened. */
  async function failingCall(
    fault: Error,
    { beforeFinish, capacity }: { beforeFinish?: () => Promise<void>; capacity?: InboundCallsOptions['capacity'] } = {},
  ) {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const { calls } = createRepositories(database);
    let callId = '';
    const { inbound } = inboundCalls(database, {
      calls: {
        ...calls,
        createCall: (call) => {
          callId = call.id;
          return calls.createCall(call);
        },
        finish: async (...end) => {
          await beforeFinish?.();
          return calls.finish(...end);
        },
      },
      numbers: { findByNumber: async () => ({ ...REDIRECTED, redirect: false, inboundAgentId: agentId }) },
      numberCalls: { decide: async () => ({ ...ACCEPTED, agent: { ...ACCEPTED.agent, agentId } }) },
      liveCalls: { openMedia: () => Promise.reject(fault), launch: never },
      ...(capacity !== undefined && { capacity }),
    });
    return { call: () => calls.find(callId), inbound };
  }

  it('a caller is sent away before the end of its call is stored, and a drain waits for that end', async () => {
    const stored = Promise.withResolvers<void>();
    const { inbound, released } = redirecting(await temporaryDatabase(), () => stored.promise);
    const invite = inviteTo(null, 'ours');
    inbound.handle(invite);
    await released(1);
    expect(invite.refused).toEqual([302]);
    let isSettled = false;
    const settled = inbound.settled().then(() => {
      isSettled = true;
    });
    await new Promise(setImmediate);
    expect([inbound.inProgress, isSettled]).toEqual([0, false]);
    stored.resolve();
    await settled;
  });

  it('refuses further calls while the ends of too many wait for the database', async () => {
    const stored = Promise.withResolvers<void>();
    const { inbound, released } = redirecting(await temporaryDatabase(), () => stored.promise);
    for (let nth = 0; nth < WAITING_ENDS_MAX; nth++) inbound.handle(inviteTo(null, `call ${nth}`));
    await released(WAITING_ENDS_MAX);
    const refused = inviteTo(null, 'one too many');
    inbound.handle(refused);
    expect(refused.refused).toEqual([503]);
    stored.resolve();
    await inbound.settled();
    const taken = inviteTo(null, 'after the outage');
    inbound.handle(taken);
    await inbound.settled();
    expect(taken.refused).toEqual([302]);
  });

  /** Sends callers to another number; `released` resolves once so many calls have freed their capacity. */
  function redirecting(database: Database, end: () => Promise<void>) {
    let releases = 0;
    let onReleased = () => {};
    const { inbound } = inboundCalls(database, {
      numbers: { findByNumber: async () => ({ ...REDIRECTED, redirectMode: 'sip_302' }) },
      redirected: { begin: never, isCircle: never, storeSentAway: async () => end },
      capacity: {
        take: () => ({
          type: 'taken',
          release: () => {
            releases += 1;
            onReleased();
          },
        }),
      },
    });
    const released = (count: number) =>
      new Promise<void>((resolve) => {
        onReleased = () => {
          if (releases === count) resolve();
        };
      });
    return { inbound, released };
  }
});
