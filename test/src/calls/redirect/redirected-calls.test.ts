import { expect, it } from 'vitest';
import { z } from 'zod';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import type { HostCommand } from '../../../../src/calls/host/call-host.ts';
import { HostedRtpMedia } from '../../../../src/calls/live/hosted-media.ts';
import { RedirectedCalls, type RedirectedCallsOptions } from '../../../../src/calls/redirect/redirected-calls.ts';
import { NO_PRICES } from '../../../../src/calls/usage/price-table.ts';
import { createLogger } from '../../../../src/log/log.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { START_MS, temporaryDatabase } from '../../storage/temporary-database.ts';

const never = (): never => {
  throw new Error('must not be called');
};
const line = z.object({ msg: z.string(), call_id: z.string(), reason: z.string().optional() });

const REQUEST = {
  invite: {
    sipCallId: 'ours',
    uri: 'sip:4930123456@192.0.2.1',
    dialled: '+4930123456',
    addressee: '+4930123456',
    caller: '+4915112345678',
    serviceCallId: null,
    source: { address: '198.51.100.9', port: 5060, transport: 'udp' },
    header: () => null,
    offer: null,
    answer: null,
    recovery: null,
    ring: never,
    refuse: never,
    accept: never,
    cancelled: false,
    onCancelled: () => {},
  },
  trunk: null,
  number: {
    id: 'number',
    organizationId: DEFAULT_ORGANIZATION_ID,
    number: '+4930123456',
    name: 'Redirected',
    type: 'pstn',
    inboundAgentId: null,
    redirect: true,
    redirectPhoneNumber: '+4930654321',
    redirectMode: 'sip_302',
    sipUri: null,
    trunkId: null,
    lookupWebhookUrl: null,
    sipHeaderVariables: [],
    createdMs: START_MS,
  },
  destination: '+4930654321',
  fromNumber: '+4915112345678',
  traceparent: null,
} as const;

async function redirectedCalls(overrides: Partial<RedirectedCallsOptions> = {}) {
  const { agents, calls, journal, phoneNumbers } = createRepositories(await temporaryDatabase());
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    destination: { write: (text) => lines.push(text) },
  });
  const redirected = new RedirectedCalls({
    calls,
    journal,
    numbers: phoneNumbers,
    agents,
    cache: new AgentCache(agents),
    liveCalls: { adopt: never },
    reservations: { reserveCall: never },
    sessions: { open: never },
    secondLeg: {
      reservations: { reserveSecondLeg: never },
      signalling: { invite: never },
      negotiation: never,
      peerOf: never,
      findRoutes: never,
      onLeg: never,
      onLost: never,
      onFault: never,
      onTrunkFailed: never,
    },
    ringTimeoutMs: 0,
    clock: { wallMs: () => START_MS, nowUs: () => 0, after: never },
    prices: NO_PRICES,
    recordingUrl: never,
    log: (callId) => log.child({ call_id: callId }),
    onLeg: () => {},
    onStored: () => {},
    onLost: never,
    ...overrides,
  });
  return { calls, logged: () => lines.map((text) => line.parse(JSON.parse(text))), redirected };
}

it('a caller is sent away once the call is stored, and its end can be written later', async () => {
  const { calls, logged, redirected } = await redirectedCalls();
  const end = await redirected.storeSentAway(REQUEST);
  const lines = logged();
  const callId = lines[0]?.call_id ?? '';
  expect(lines).toEqual([
    { msg: 'call started', call_id: callId },
    { msg: 'call ended', call_id: callId, reason: 'redirected' },
  ]);
  expect(await calls.find(callId)).toMatchObject({ status: 'created', endReason: null });
  await end();
  expect(await calls.find(callId)).toMatchObject({ status: 'completed', endReason: 'redirected' });
});

it('a bridged call that cannot begin after it was stored logs its end, too', async () => {
  const fault = new Error('no session for this offer');
  const commands: string[] = [];
  const host = { send: ({ type }: HostCommand) => commands.push(type) };
  const { logged, redirected } = await redirectedCalls({
    reservations: {
      reserveCall: async (callId) => new HostedRtpMedia(host, { mediaId: 'media', callId, port: 40_000 }),
    },
    sessions: {
      open: () => {
        throw fault;
      },
    },
  });
  const bridged = { ...REQUEST, isSourceTrusted: true, codec: 'pcmu' } as const;
  await expect(redirected.begin('3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11', bridged)).rejects.toThrow(fault);
  expect(logged().map(({ msg, reason }) => [msg, reason])).toEqual([
    ['call started', undefined],
    ['call ended', 'internal_error'],
  ]);
  expect(commands).toEqual(['release']);
});
