import { expect, it } from 'vitest';
import { createAgent, MINIMAL_AGENT, sharedApi, testApi } from '../test-api.ts';

const shared = sharedApi();

it.each([
  ['a path as an espeak voice', { voice: { provider: 'espeak', name: '../../etc/passwd' } }, 'voice.name'],
  ['an option as an espeak voice', { voice: { provider: 'espeak', name: '-f/etc/passwd' } }, 'voice.name'],
  ['CR LF in a voice', { voice: { provider: 'deepgram', name: 'a\r\nb' } }, 'voice.name'],
  ['CR LF in a model', { llm: { provider: 'openai', model: 'a\r\nb' } }, 'llm.model'],
  ['CR LF in a fallback', { fallbacks: { llm: [{ provider: 'openai', model: 'a\nb' }] } }, 'fallbacks.llm[0].model'],
])('%s is 422', async (_, fields, field) => {
  const providers = { llm: ['openai'], voice: ['deepgram', 'espeak'], transcriber: ['deepgram'] };
  const api = await testApi({ providers });
  const { status, body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...fields });
  expect([status, body.error?.details.map((detail: { field: string }) => detail.field)]).toEqual([422, [field]]);
});

it.each([
  ['an agent', '/v1/agents', MINIMAL_AGENT],
  ['a knowledge base', '/v1/knowledge-bases', {}],
  ['a trunk', '/v1/sip-trunks', { termination_uri: '192.0.2.1:5060' }],
])('the name of %s is more than spaces, which are removed around it', async (_, path, fields) => {
  const { status, body } = await shared().ask('POST', path, { ...fields, name: ' \u00a0' });
  expect([status, body.error?.message]).toEqual([422, 'name: Required: the text is empty']);
  expect((await shared().ask('POST', path, { ...fields, name: ' Desk ' })).body.data.name).toBe('Desk');
});

it('the default voice of espeak and one with a variant are accepted', async () => {
  const api = await testApi({ providers: { llm: ['openai'], voice: ['espeak'], transcriber: ['deepgram'] } });
  for (const name of ['default', 'en-gb+f3']) await createAgent(api, { voice: { provider: 'espeak', name } });
  expect((await api.ask('GET', '/v1/agents')).body.data).toHaveLength(2);
});

it.each(['__proto__', 'constructor', 'prototype'])('a variable named %s is 422', async (name) => {
  const { status, body } = await shared().ask('POST', '/v1/agents', { ...MINIMAL_AGENT, variables: [{ name }] });
  expect([status, body.error.details[0].field]).toEqual([422, 'variables[0].name']);
});

it('a header that frames the request of a custom function is a warning', async () => {
  const headers = ['Host', 'X-Plain', 'content-length'].map((name) => ({ name, value: '1' }));
  const look = { type: 'custom_function', name: 'look_up', url: 'https://crm.example.com/', headers };
  const states = [{ name: 'greeting', prompt: '{{look_up}} {{bye}}', tools: [look, { type: 'hang_up', name: 'bye' }] }];
  const { status, body } = await shared().ask('POST', '/v1/agents', { ...MINIMAL_AGENT, states });
  const message = (name: string) => `${name} follows from the request: this value is not sent`;
  expect([status, body.data.warnings]).toEqual([
    201,
    [
      { field: 'states[0].tools[0].headers[0].name', message: message('Host') },
      { field: 'states[0].tools[0].headers[2].name', message: message('content-length') },
    ],
  ]);
});
