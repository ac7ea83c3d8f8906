import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { AgentCache } from '../../../../src/calls/agents/agent-cache.ts';
import { WebCalls } from '../../../../src/calls/web/web-calls.ts';
import { hashWebToken, mintWebToken } from '../../../../src/calls/web/web-token.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';

const never = (): never => {
  throw new Error('must not be called');
};

it('counts a connection until it is refused or live, but not against itself', async () => {
  const database = await temporaryDatabase();
  const { agents, calls } = createRepositories(database);
  const token = mintWebToken();
  const call = newCall(await storeAgent(database), { type: 'web_call', webTokenHash: hashWebToken(token) });
  await calls.createCall(call);
  await calls.setStatus(call.id, { from: ['initiated'], to: 'staged', atMs: START_MS });
  const others: number[] = [];
  const refusals: string[] = [];
  const web = new WebCalls({
    calls,
    staging: { begin: never, forget: never },
    cache: new AgentCache(agents),
    liveCalls: { launch: never, openWebMedia: never, release: never },
    media: {
      capacity: (counted = 0) => {
        others.push(web.inProgress - counted);
        return { accepted: false, retryAfterSeconds: 2 };
      },
    },
    clock: { wallMs: () => START_MS, nowUs: () => 0, after: never },
    origins: [],
    draining: () => false,
    onFault: never,
    onRefused: (_, reason) => refusals.push(reason),
  });
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'GET',
    url: `/v1/calls/${call.id}/media?token=${token}`,
    headers: {
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  web.upgrade(request, new PassThrough(), Buffer.alloc(0));
  expect(web.inProgress).toBe(1);
  await web.settled();
  expect(others).toEqual([0]);
  expect(refusals).toEqual(['the service accepts no calls at the moment']);
  expect(web.inProgress).toBe(0);
});
