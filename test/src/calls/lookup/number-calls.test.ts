import { expect, it } from 'vitest';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import type { CallRequest } from '../../../../src/calls/api-requests/call-service.ts';
import type { LookupOutcome, LookupWebhook } from '../../../../src/calls/lookup/lookup-webhook.ts';
import { NumberCalls } from '../../../../src/calls/lookup/number-calls.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { storeAgent, temporaryDatabase, testConfiguration } from '../../storage/temporary-database.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const HEADERS: Readonly<Record<string, string>> = {
  'X-Customer': '4711',
  'X-Seats': 'many',
  'User-to-User': '416461;encoding=hex',
};
const LISTED = [
  { header: 'X-Customer', variable: 'customer_id' },
  { header: 'X-Seats', variable: 'seats' },
  { header: 'User-to-User', variable: 'name' },
  { header: 'X-Missing', variable: 'missing' },
];

async function bed(ask: LookupWebhook['ask'], lookupWebhookUrl: string | null = 'https://crm.example/lookup') {
  const database = await temporaryDatabase();
  const { agents } = createRepositories(database);
  const configuration = {
    ...testConfiguration,
    variables: [{ name: 'seats', type: 'integer' as const, description: '' }],
  };
  const agentId = await storeAgent(database, { configuration });
  const lines: unknown[] = [];
  const numberCalls = new NumberCalls({
    agents,
    cache: new AgentCache(agents),
    lookup: { ask },
    log: (callId) => ({ warn: (fields, event) => void lines.push({ callId, event, ...fields }) }),
  });
  const number = {
    id: 'number',
    organizationId: 'organization',
    number: '+493012345678',
    name: 'Desk',
    type: 'sip',
    inboundAgentId: agentId,
    redirect: false,
    redirectPhoneNumber: null,
    redirectMode: 'sip_302',
    sipUri: null,
    trunkId: null,
    createdMs: 0,
    lookupWebhookUrl,
    sipHeaderVariables: LISTED,
  } as const;
  const invite = {
    sipCallId: 'a84b4c76e66710',
    header: (name: string) => HEADERS[name] ?? null,
    cancelled: false,
  };
  const decide = () =>
    numberCalls.decide({ invite, number, agentId, callId: 'call', fromNumber: null, traceparent: TRACEPARENT });
  const request: CallRequest = {
    organizationId: 'organization',
    agentId,
    agentVersion: 1,
    dynamicVariables: {},
    agentOverrides: null,
  };
  const cancel = () => {
    invite.cancelled = true;
  };
  return { decide, lines, request, agentId, cancel };
}

const never = () => new Promise<LookupOutcome>(() => {});

it('without a webhook the own agent takes the call with the listed headers; a value of another type is ignored', async () => {
  const { agentId, decide, lines } = await bed(never, null);
  expect(await decide()).toMatchObject({
    type: 'accepted',
    agent: { agentId, isOverridden: false },
    agentOverrides: null,
    dynamicVariables: { customer_id: '4711', name: 'Ada' },
    untrustedVariables: ['customer_id', 'name'],
  });
  expect(lines).toEqual([
    { callId: 'call', event: 'SIP header variable ignored', variable: 'seats', expected: 'integer' },
  ]);
});

it('the webhook is asked with number, caller and the listed headers as they came', async () => {
  const asked: unknown[] = [];
  const { agentId, decide } = await bed(async (...parameters) => {
    asked.push(parameters);
    return { type: 'refused', sipStatus: 486 };
  });
  expect(await decide()).toEqual({ type: 'refused', sipStatus: 486 });
  expect(asked).toEqual([
    [
      'https://crm.example/lookup',
      {
        organization_id: 'organization',
        agent_id: agentId,
        call_id: 'call',
        data: {
          phone_number_id: 'number',
          to_number: '+493012345678',
          from_number: null,
          sip_call_id: 'a84b4c76e66710',
          sip_headers: HEADERS,
        },
      },
      TRACEPARENT,
    ],
  ]);
});

it('values of the webhook replace those of the INVITE, and the caller did not write them', async () => {
  let request: CallRequest | null = null;
  const { decide, lines, ...rest } = await bed(async () =>
    request === null ? { type: 'failed', reason: 'no request' } : { type: 'accepted', request },
  );
  const agentOverrides = { initial_message: 'Hello Ada.' };
  request = { ...rest.request, dynamicVariables: { customer_id: 12, seats: 4 }, agentOverrides };
  expect(await decide()).toMatchObject({
    type: 'accepted',
    agent: { isOverridden: true, configuration: agentOverrides },
    agentOverrides,
    dynamicVariables: { customer_id: 12, seats: 4, name: 'Ada' },
    untrustedVariables: ['name'],
  });
  expect(lines).toEqual([]);
});

it('if the webhook fails, the own agent takes the call, and the log says why', async () => {
  const { agentId, decide, lines } = await bed(async () => ({ type: 'failed', reason: 'no answer within 2000 ms' }));
  expect(await decide()).toMatchObject({ type: 'accepted', agent: { agentId }, agentOverrides: null });
  expect(lines[0]).toEqual({
    callId: 'call',
    event: 'caller lookup failed',
    phone_number_id: 'number',
    reason: 'no answer within 2000 ms',
  });
});

it.each<LookupOutcome>([
  { type: 'failed', reason: 'no answer within 2000 ms' },
  { type: 'refused', sipStatus: 603 },
])('a cancelled call is decided once the webhook has answered ($type), without a line in the log', async (outcome) => {
  const { promise, resolve } = Promise.withResolvers<LookupOutcome>();
  const { agentId, cancel, decide, lines } = await bed(() => promise);
  const steps: string[] = [];
  const deciding = decide().finally(() => steps.push('decided'));
  cancel();
  await new Promise((done) => setImmediate(done));
  steps.push('answered');
  resolve(outcome);
  expect(await deciding).toMatchObject({ type: 'accepted', agent: { agentId } });
  expect(steps).toEqual(['answered', 'decided']);
  expect(lines).toMatchObject([{ event: 'SIP header variable ignored' }]);
});
