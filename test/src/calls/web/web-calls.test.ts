import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { MediaServiceError } from '../../../../sip/media/media-service-error.ts';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import { WebCalls } from '../../../../src/calls/web/web-calls.ts';
import { hashWebToken, mintWebToken } from '../../../../src/calls/web/web-token.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';

const never = (): never => {
  throw new Error('must not be called');
};

/** A web call that waits for its browser. */
async function stagedCall() {
  const database = await temporaryDatabase();
  const { agents, calls } = createRepositories(database);
  const token = mintWebToken();
  const call = newCall(await storeAgent(database), { type: 'web_call', webTokenHash: hashWebToken(token) });
  await calls.createCall(call);
  const patch = { stagingDeadlineMs: START_MS + 60_000 };
  await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch });
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'GET',
    url: `/v1/calls/${call.id}/media?token=${token}`,
    headers: {
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  return { cache: new AgentCache(agents), callId: call.id, calls, request };
}

const CLOCK = { wallMs: () => START_MS, nowUs: () => 0, after: never };

it('counts a connection until it is refused or live, but not against itself', async () => {
  const { cache, calls, request } = await stagedCall();
  const others: number[] = [];
  const refusals: string[] = [];
  const web = new WebCalls({
    calls,
    staging: { begin: never, forget: never },
    cache,
    liveCalls: { launch: never, openWebMedia: never, release: never },
    media: {
      capacity: (counted = 0) => {
        others.push(web.inProgress - counted);
        return { accepted: false, retryAfterSeconds: 2 };
      },
    },
    clock: CLOCK,
    origins: [],
    draining: () => false,
    onStored: never,
    onFault: never,
    onRefused: (_, reason) => refusals.push(reason),
  });
  web.upgrade(request, new PassThrough(), Buffer.alloc(0));
  expect(web.inProgress).toBe(1);
  await web.settled();
  expect(others).toEqual([0]);
  expect(refusals).toEqual(['the service accepts no calls at the moment']);
  expect(web.inProgress).toBe(0);
});

it.each([
  ['media_error', new MediaServiceError('no_slot', 'Every media worker is full')],
  ['internal_error', new Error('the agent has no such field')],
])('a call that cannot start ends as %s', async (endReason, fault) => {
  const { cache, callId, calls, request } = await stagedCall();
  const faults: unknown[] = [];
  const stored: string[] = [];
  const web = new WebCalls({
    calls,
    staging: { begin: never, forget: () => {} },
    cache,
    liveCalls: { launch: never, openWebMedia: () => Promise.reject(fault), release: never },
    media: { capacity: () => ({ accepted: true }) },
    clock: CLOCK,
    origins: [],
    draining: () => false,
    onStored: (id) => stored.push(id),
    onFault: (_, error) => faults.push(error),
    onRefused: never,
  });
  web.upgrade(request, new PassThrough(), Buffer.alloc(0));
  await web.settled();
  expect(faults).toEqual([fault]);
  expect(stored).toEqual([callId]);
  expect(await calls.find(callId)).toMatchObject({ status: 'failed', endReason });
});
