import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { sharePublicPayloads } from '../../../../src/api/connections/shared-payloads.ts';
import { testApi } from '../test-api.ts';

/** A server with a route that returns `text`, and the payloads that it has sent. */
async function serverOf(text: string, apiKey: object | null) {
  const app = Fastify();
  onTestFinished(() => app.close());
  const sent: unknown[] = [];
  app.decorateRequest('apiKey', null);
  app.addHook('onRequest', async (request) => {
    Object.assign(request, { apiKey });
  });
  sharePublicPayloads(app);
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  app.get('/text', async () => text);
  return { app, sent };
}

const LARGE = 'é'.repeat(100_000);

it('a large response without a key is sent from one buffer', async () => {
  const { app, sent } = await serverOf(LARGE, null);
  const responses = [await app.inject('/text'), await app.inject('/text')];
  expect(sent[0]).toBeInstanceOf(Buffer);
  expect(sent[1]).toBe(sent[0]);
  for (const { body, headers } of responses) {
    expect(body).toBe(LARGE);
    expect(headers['content-length']).toBe('200000');
  }
});

it.each([
  { about: 'a response with a key', text: LARGE, apiKey: {} },
  { about: 'a small response', text: 'small', apiKey: null },
])('$about is not kept', async ({ apiKey, text }) => {
  const { app, sent } = await serverOf(text, apiKey);
  await app.inject('/text');
  expect(sent).toEqual([text]);
});

it('the script of the reference page and the API document stay readable', async () => {
  const { app } = await testApi();
  expect((await app.inject('/docs/js/scalar.js')).body.includes('createApiReference')).toBe(true);
  expect((await app.inject('/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
});
