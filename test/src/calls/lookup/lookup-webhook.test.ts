import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import {
  type LookupAnswer,
  LookupWebhook,
  type LookupWebhookOptions,
} from '../../../../src/calls/lookup/lookup-webhook.ts';
import type { GuardedRequest, GuardedResponse } from '../../../../src/outgoing-http/guarded-http.ts';
import { HttpGuardError } from '../../../../src/outgoing-http/http-guard-error.ts';

const URL = 'https://crm.example/lookup?token=of-the-receiver';
const SECRETS = [1, 2].map(() => `whsec_${randomBytes(24).toString('base64')}`);
const REFUSED: LookupAnswer = { type: 'refused', sipStatus: 603 };
const PLACES = 128;

const question = (organizationId = 'organization') => ({
  organization_id: organizationId,
  agent_id: 'agent',
  call_id: 'call',
  data: {
    phone_number_id: 'number',
    to_number: '+493012345678',
    from_number: null,
    sip_call_id: 'a84b4c76e66710',
    sip_headers: { 'X-Customer': '4711' },
  },
});

function answered(status: number, body = '', cutOff = false): GuardedResponse {
  return { status, contentType: 'application/json', body: Buffer.from(body), cutOff };
}

function lookupOf(options: Partial<LookupWebhookOptions> & { answer?: () => Promise<GuardedResponse> } = {}) {
  const clock = new SimulatedClock();
  const requests: GuardedRequest[] = [];
  const read: unknown[] = [];
  const lookup = new LookupWebhook({
    http: {
      request: (request) => {
        requests.push(request);
        return options.answer?.() ?? Promise.resolve(answered(200, '{"refuse":{"sip_status":603}}'));
      },
    },
    signingSecrets: async () => SECRETS,
    readAnswer: async (...parameters) => {
      read.push(parameters);
      return REFUSED;
    },
    clock,
    ...options,
  });
  return { clock, lookup, requests, read };
}

it.each([
  ['its status', () => Promise.resolve(answered(503)), 503],
  ['no status, if it fails', () => Promise.reject(new Error('refused')), null],
])('a question names its trace span to the webhook, and the span has %s', async (_, answer, httpStatus) => {
  const traced: unknown[] = [];
  const context = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
  const tracing: LookupWebhookOptions['tracing'] = {
    lookup: (call) => ({ context, end: (sent) => void traced.push(call, sent.httpStatus) }),
  };
  const { lookup, requests } = lookupOf({ answer, tracing });
  await lookup.ask(URL, question(), 'of the INVITE');
  expect(requests[0]?.headers.traceparent).toBe('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  expect(traced).toEqual([{ id: 'call', traceparent: 'of the INVITE' }, httpStatus]);
});

it('a question is one POST that each secret of the agent has signed, and its answer is read', async () => {
  const { lookup, read, requests } = lookupOf();
  expect(await lookup.ask(URL, question())).toEqual(REFUSED);
  expect(read).toEqual([['organization', 'agent', { refuse: { sip_status: 603 } }]]);
  expect(requests).toHaveLength(1);
  const [request] = requests;
  const { body = '', headers = {} } = request ?? {};
  expect(request).toMatchObject({ url: URL, method: 'POST', timeoutMs: 2_000, responseBytesMax: 1_048_576 });
  const sent = JSON.parse(body);
  expect(sent).toEqual({
    id: expect.stringMatching(/^lookup_/),
    type: 'inbound_call_lookup',
    created_at: expect.any(String),
    ...question(),
  });
  const { 'webhook-id': id, 'webhook-signature': signatures, 'webhook-timestamp': seconds } = headers;
  expect(id).toBe(sent.id);
  const time = new Date(Number(seconds) * 1_000);
  expect(signatures?.split(' ')).toEqual(SECRETS.map((secret) => new Webhook(secret).sign(sent.id, time, body)));
});

it.each([
  ['status 500', answered(500, '{}'), 'the webhook answered with status 500'],
  ['a redirect', answered(302), 'the webhook answered with status 302'],
  ['no JSON', answered(200, '<html>'), 'the answer is not JSON'],
  ['too much', answered(200, '{}', true), 'the answer is longer than 1048576 bytes'],
])('%s fails, and is not read', async (_case, response, reason) => {
  const { lookup, read } = lookupOf({ answer: async () => response });
  expect(await lookup.ask(URL, question())).toEqual({ type: 'failed', reason });
  expect(read).toEqual([]);
});

it('an empty body leaves the call as it is', async () => {
  const { lookup, read } = lookupOf({ answer: async () => answered(204) });
  await lookup.ask(URL, question());
  expect(read).toEqual([['organization', 'agent', {}]]);
});

it('an answer that is not valid, a refused address and a failed database fail with their reason', async () => {
  const invalid = lookupOf({ readAnswer: () => Promise.reject(new Error('agent_id: expected an agent')) });
  expect(await invalid.lookup.ask(URL, question())).toEqual({ type: 'failed', reason: 'agent_id: expected an agent' });
  const refused = new HttpGuardError('refused_address', 'the address of 10.0.0.1 is refused');
  const guarded = lookupOf({ answer: () => Promise.reject(refused) });
  expect(await guarded.lookup.ask(URL, question())).toEqual({ type: 'failed', reason: refused.message });
  const down = lookupOf({ signingSecrets: () => Promise.reject(new Error('the database does not answer')) });
  expect(await down.lookup.ask(URL, question())).toMatchObject({ type: 'failed' });
});

it('nothing is sent unsigned', async () => {
  const { lookup, requests } = lookupOf({ signingSecrets: async () => [] });
  expect(await lookup.ask(URL, question())).toEqual({
    type: 'failed',
    reason: 'the inbound agent has no webhook secret',
  });
  expect(requests).toEqual([]);
});

it.each([
  ['the response', { answer: () => new Promise<GuardedResponse>(() => {}) }],
  ['the secrets', { signingSecrets: () => new Promise<string[]>(() => {}) }],
  ['the check of the answer', { readAnswer: () => new Promise<LookupAnswer>(() => {}) }],
])('waits for %s 2 s in all, not a millisecond longer', async (_what, options) => {
  const { clock, lookup } = lookupOf(options);
  let outcome: unknown = null;
  void lookup.ask(URL, question()).then((result) => {
    outcome = result;
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  clock.advance(1_999);
  await settled();
  expect(outcome).toBeNull();
  clock.advance(1);
  await settled();
  expect(outcome).toEqual({ type: 'failed', reason: 'no answer within 2000 ms' });
});

it('one organization holds at most half of the slots, and gives them back', async () => {
  const answers: ((response: GuardedResponse) => void)[] = [];
  const { lookup } = lookupOf({ answer: () => new Promise((resolve) => answers.push(resolve)) });
  const waiting = Array.from({ length: PLACES / 2 }, () => lookup.ask(URL, question('busy')));
  expect(await lookup.ask(URL, question('busy'))).toEqual({
    type: 'failed',
    reason: 'too many lookups of the organization are waiting for an answer',
  });
  const other = lookup.ask(URL, question('other'));
  await new Promise((resolve) => setImmediate(resolve));
  for (const answer of answers) answer(answered(204));
  expect(await Promise.all([...waiting, other])).toEqual(Array.from({ length: PLACES / 2 + 1 }, () => REFUSED));
  const again = lookup.ask(URL, question('busy'));
  await new Promise((resolve) => setImmediate(resolve));
  answers.at(-1)?.(answered(204));
  expect(await again).toEqual(REFUSED);
});
