import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../src/storage/events/webhook-event.ts';
import { ADMIN_KEY, createAgent, MINIMAL_AGENT, OTHER_KEY, READ_KEY, sharedApi, testApi } from './test-api.ts';

const shared = sharedApi();

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

it('every success is an envelope', async () => {
  const api = await testApi();
  const { status, body } = await api.ask('POST', '/v1/agents', MINIMAL_AGENT);
  expect(status).toBe(201);
  expect(body).toEqual({
    message: expect.any(String),
    data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Front desk' },
    error: null,
    status: 201,
  });
});

it.each([
  ['no key', {}, 'gateway_auth_error'],
  ['an empty key', { 'x-api-key': '' }, 'gateway_auth_error'],
  ['a key that is too short', { 'x-api-key': 'short' }, 'gateway_auth_error'],
  ['a key with spaces', { 'x-api-key': 'a key that is long enough but has spaces' }, 'gateway_auth_error'],
  ['a key that is too long', { 'x-api-key': 'k'.repeat(1_000) }, 'gateway_auth_error'],
  ['an unknown key', { 'x-api-key': 'k'.repeat(40) }, 'auth_error'],
])('%s is 401, with the error in the envelope and at the top level', async (_fault, headers, type) => {
  const { app } = shared();
  const response = await app.inject({ method: 'GET', url: `/v1/calls/${UNKNOWN_ID}`, headers });
  expect(response.statusCode).toBe(401);
  const body = response.json();
  expect(body).toMatchObject({ status: 401, type, data: null, error: { type, status: 401 } });
  expect(body.message).toBe(body.error.message);
});

it('a path that cannot be decoded gets an error envelope', async () => {
  const { app } = shared();
  const response = await app.inject({ method: 'GET', url: '/v1/calls/%ff', headers: { 'x-api-key': ADMIN_KEY } });
  expect(response.statusCode).toBe(400);
  const message = 'The path cannot be decoded: write % as %25, and other characters as percent-encoded UTF-8';
  expect(response.json()).toMatchObject({
    status: 400,
    data: null,
    error: { type: 'api_error', status: 400, message },
  });
});

it('a revoked key is refused at once', async () => {
  const api = await testApi();
  const key = await api.repositories.organizations.findKey(READ_KEY);
  await api.repositories.organizations.revokeKey(key?.id ?? '', api.clock.nowMs);
  expect((await api.ask('GET', `/v1/calls/${UNKNOWN_ID}`, undefined, READ_KEY)).body.type).toBe('auth_error');
});

it('a key without the scope gets 403, and the request has no effect', async () => {
  const api = await testApi();
  const { status, body } = await api.ask('POST', '/v1/phone-numbers', { number: '+493012345678' }, READ_KEY);
  expect(status).toBe(403);
  expect(body.error.type).toBe('api_error');
  expect((await api.ask('GET', '/v1/phone-numbers', undefined, READ_KEY)).body.total_items).toBe(0);
});

it('resources of another organization are 404, never 403', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const number = await api.ask('POST', '/v1/phone-numbers', { number: '+493012345678' });
  const trunk = await api.ask('POST', '/v1/sip-trunks', { name: 't', termination_uri: 'sip.example.com' });
  const request = { from_number: '+4915112345678', to_number: '+493012345678', agent_id: agentId };
  const call = await api.ask('POST', '/v1/calls/stage', request);
  const callId = call.body.data.call_id;
  const requests = [
    ['GET', `/v1/agents/${agentId}`],
    ['POST', `/v1/agents/${agentId}/webhook-secret`],
    ['GET', `/v1/phone-numbers/${number.body.data.id}`],
    ['DELETE', `/v1/phone-numbers/${number.body.data.id}`],
    ['GET', `/v1/sip-trunks/${trunk.body.data.id}`],
    ['DELETE', `/v1/sip-trunks/${trunk.body.data.id}`],
    ['GET', `/v1/calls/${callId}`],
    ['POST', `/v1/calls/${callId}/terminate`],
    ['GET', `/v1/calls/${callId}/recording`],
  ] as const;
  for (const [method, url] of requests) {
    const { status, body } = await api.ask(method, url, undefined, OTHER_KEY);
    expect([url, status, body.error.type]).toEqual([url, 404, 'http_error']);
  }
  expect(api.callService.terminated).toEqual([]);
  expect((await api.ask('GET', '/v1/phone-numbers', undefined, OTHER_KEY)).body.data).toEqual([]);
});

it.each([
  ['GET', '/v1/nothing'],
  ['GET', '/v1/agents/not-a-uuid'],
  ['GET', '/v1/calls/1'],
  ['POST', '/v1/calls/%00/terminate'],
] as const)('%s %s is 404', async (method, url) => {
  const { app } = shared();
  const response = await app.inject({ method, url, headers: { 'x-api-key': ADMIN_KEY } });
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ data: null, status: 404, error: { type: 'http_error', status: 404 } });
});

it.each([
  ['a body that does not parse', '{"name":', 'application/json', 400, 'api_error'],
  ['a body with __proto__', '{"__proto__": {"a": 1}}', 'application/json', 400, 'api_error'],
  ['another content type', 'name=x', 'application/x-www-form-urlencoded', 415, 'api_error'],
  ['a body without a content type that is JSON', 'hello', 'text/plain', 415, 'api_error'],
  ['a missing body', '', 'application/json', 422, 'validation_error'],
  ['a body that is not an object', '[]', 'application/json', 422, 'validation_error'],
  ['a body of over 1 MiB', `{"name":"${'x'.repeat(1_100_000)}"}`, 'application/json', 413, 'api_error'],
  [
    'a deeply nested body',
    `{"states":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'application/json',
    422,
    'validation_error',
  ],
])('%s gets a specific error', async (_fault, payload, contentType, status, type) => {
  const { app } = shared();
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': contentType };
  const response = await app.inject({ method: 'POST', url: '/v1/agents', headers, payload });
  expect(response.statusCode).toBe(status);
  expect(response.json()).toMatchObject({ data: null, status, error: { type, status } });
});

it('an empty body counts as no body under any content type', async () => {
  const { app } = await testApi();
  for (const contentType of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'x-api-key': ADMIN_KEY, 'content-type': contentType };
    const url = `/v1/calls/${UNKNOWN_ID}/terminate`;
    expect((await app.inject({ method: 'POST', url, headers })).statusCode).toBe(404);
  }
});

it('the rate limit is exact under parallel requests and reported in headers', async () => {
  const api = await testApi({ rateLimits: { perMinute: 10, perHour: 100 } });
  const requests = Array.from({ length: 25 }, () => api.ask('GET', '/v1/phone-numbers'));
  const answers = await Promise.all(requests);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(15);
  expect(refused[0]?.body.error.type).toBe('gateway_rate_limit_error');
  expect(refused[0]?.headers).toMatchObject({
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'x-ratelimit-limit-minute': '10',
    'x-ratelimit-remaining-minute': '0',
    'x-ratelimit-limit-hour': '100',
    'x-ratelimit-remaining-hour': '90',
    'retry-after': '60',
  });
  api.clock.advance(60_000);
  expect((await api.ask('GET', '/v1/phone-numbers')).status).toBe(200);
  expect((await api.ask('GET', '/v1/phone-numbers', undefined, OTHER_KEY)).headers).toMatchObject({
    'x-ratelimit-remaining-minute': '9',
  });
});

it('fifty simultaneous requests each get a distinct remaining count', async () => {
  const api = await testApi({ rateLimits: { perMinute: 60, perHour: 100 } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => api.ask('GET', '/v1/phone-numbers?limit=1')));
  const remaining = (name: string) => answers.map(({ headers }) => Number(headers[name])).sort((a, b) => b - a);
  const counted = (from: number) => Array.from({ length: 50 }, (_, index) => from - 1 - index);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(remaining('x-ratelimit-remaining-minute')).toEqual(counted(60));
  expect(remaining('x-ratelimit-remaining-hour')).toEqual(counted(100));
  expect(remaining('ratelimit-remaining')).toEqual(counted(60));
});

it('health checks need no key, and readiness reflects the shutdown and the SIP server', async () => {
  let takesCalls = true;
  let hasSipServer = true;
  const api = await testApi({ takesCalls: () => takesCalls, hasSipServer: () => hasSipServer });
  expect((await api.app.inject('/healthz')).json()).toEqual({ message: 'alive', data: null, error: null, status: 200 });
  expect((await api.app.inject('/readyz')).statusCode).toBe(200);
  hasSipServer = false;
  expect((await api.app.inject('/readyz')).json().error).toMatchObject({ type: 'generic_error', status: 503 });
  hasSipServer = true;
  takesCalls = false;
  expect((await api.app.inject('/readyz')).json().error).toMatchObject({ type: 'generic_error', status: 503 });
  expect((await api.app.inject('/healthz')).statusCode).toBe(200);
});

it('an unavailable database is 503 with retry-after', async () => {
  const api = await testApi();
  await api.database.close();
  const { status, body, headers } = await api.ask('GET', '/v1/phone-numbers');
  expect(status).toBe(503);
  expect(body.error).toMatchObject({ type: 'generic_error', status: 503 });
  expect(headers['retry-after']).toBe('1');
  expect((await api.app.inject('/readyz')).statusCode).toBe(503);
});

it('the OpenAPI document is 3.1 and contains every route with its authentication', async () => {
  const { app } = await testApi();
  const document = (await app.inject('/openapi.json')).json();
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: 'http://calls.test' }]);
  expect(Object.keys(document.paths).sort()).toEqual([
    '/healthz',
    '/readyz',
    '/v1/agents',
    '/v1/agents/names',
    '/v1/agents/{id}',
    '/v1/agents/{id}/deploy',
    '/v1/agents/{id}/post-call-questions',
    '/v1/agents/{id}/post-call-questions/{question_id}',
    '/v1/agents/{id}/tests',
    '/v1/agents/{id}/versions',
    '/v1/agents/{id}/webhook-secret',
    '/v1/analytics/calls',
    '/v1/analytics/costs',
    '/v1/analytics/response-times',
    '/v1/api-keys',
    '/v1/api-keys/current',
    '/v1/api-keys/{id}',
    '/v1/audit-log',
    '/v1/calls',
    '/v1/calls/phone',
    '/v1/calls/running',
    '/v1/calls/running/events',
    '/v1/calls/stage',
    '/v1/calls/web',
    '/v1/calls/{id}',
    '/v1/calls/{id}/capture',
    '/v1/calls/{id}/context',
    '/v1/calls/{id}/events',
    '/v1/calls/{id}/pcap',
    '/v1/calls/{id}/recording',
    '/v1/calls/{id}/recording/pause',
    '/v1/calls/{id}/recording/resume',
    '/v1/calls/{id}/say',
    '/v1/calls/{id}/sip-ladder',
    '/v1/calls/{id}/tape',
    '/v1/calls/{id}/terminate',
    '/v1/calls/{id}/timeline',
    '/v1/calls/{id}/transfer',
    '/v1/doctor',
    '/v1/knowledge-bases',
    '/v1/knowledge-bases/{id}',
    '/v1/knowledge-bases/{id}/search',
    '/v1/knowledge-bases/{id}/sources',
    '/v1/knowledge-bases/{id}/sources/{source_id}/file',
    '/v1/knowledge-bases/{id}/sources/{source_id}/text',
    '/v1/phone-numbers',
    '/v1/phone-numbers/{id}',
    '/v1/providers',
    '/v1/settings',
    '/v1/sip-trunks',
    '/v1/sip-trunks/reachability',
    '/v1/sip-trunks/{id}',
    '/v1/sip/refusals',
    '/v1/usage',
    '/v1/webhook-deliveries',
    '/v1/webhook-deliveries/{id}',
    '/v1/webhook-deliveries/{id}/redeliver',
  ]);
  const upload = document.paths['/v1/knowledge-bases/{id}/sources'].post.requestBody;
  expect(upload.content['multipart/form-data'].schema.$ref).toBe('#/components/schemas/AddSourcesRequest');
  expect(document.components.schemas.AddSourcesRequest.properties).toHaveProperty('file_sources');
  expect(document.components.securitySchemes.apiKey).toMatchObject({ in: 'header', name: 'X-Api-Key' });
});

it('the reference page loads nothing from another host', async () => {
  const { app } = shared();
  const page = await app.inject('/docs/');
  expect(page.statusCode).toBe(200);
  expect(
    [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].filter(([, url = '']) => /^(?:[a-z]+:)?\/\//.test(url)),
  ).toEqual([]);
  expect(page.body).toContain('"withDefaultFonts": false');
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self' 'unsafe-inline';/);
});

it('the reference page is the same at each visit, and leads there without its last slash', async () => {
  const { app } = shared();
  const [first, second, short] = [await app.inject('/docs/'), await app.inject('/docs/'), await app.inject('/docs')];
  expect(second.body).toBe(first.body);
  expect(second.headers['content-type']).toMatch(/^text\/html/);
  const [, script = ''] = first.body.match(/src="([^"]+)"/) ?? [];
  const answer = await app.inject(new URL(script, 'http://localhost/docs/').pathname);
  expect(answer.headers['content-type']).toMatch(/javascript/);
  expect(short.statusCode === 200 || short.headers.location === '/docs/').toBe(true);
});

it('the document and its page can be closed', async () => {
  const api = await testApi({ docs: false });
  for (const url of ['/docs', '/docs/', '/openapi.json']) expect((await api.ask('GET', url)).status).toBe(404);
  expect((await api.ask('GET', '/v1/agents')).status).toBe(200);
});

it('the OpenAPI document describes every webhook kind and the lookup, and has no dangling references', async () => {
  const { app } = shared();
  const { body } = await app.inject('/openapi.json');
  const document = JSON.parse(body);
  expect(Object.keys(document.webhooks).sort()).toEqual([...WEBHOOK_EVENT_TYPES, 'inbound_call_lookup'].sort());
  const references = [...body.matchAll(/"\$ref":"#\/([^"]*)"/g)].map(([, path = '']) => path.split('/'));
  expect(references.length).toBeGreaterThan(0);
  for (const path of references) {
    const target = path.reduce((place: Record<string, unknown> | undefined, name) => {
      const next = place?.[name];
      return typeof next === 'object' && next !== null ? (next as Record<string, unknown>) : undefined;
    }, document);
    expect([path.join('/'), typeof target]).toEqual([path.join('/'), 'object']);
  }
});

it('a closing server completes requests in progress and then closes at once', async () => {
  const { app } = await testApi();
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${url}/healthz`, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
  await app.close();
});

it('a connection without a request does not delay the shutdown', async () => {
  const { app } = await testApi();
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const silent = connect(Number(port), '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(app.server, 'connection')]);
  const closed = once(silent, 'close');
  await app.close();
  await closed;
}, 10_000);

it('malformed HTTP gets an error envelope', async () => {
  const { app } = await testApi();
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const responseTo = async (sent: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(sent);
    const answer = Buffer.concat(await socket.toArray()).toString();
    return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  };
  const errorEnvelope = (status: number, type: string) => ({
    message: expect.any(String),
    data: null,
    error: { message: expect.any(String), type, status, details: null },
    status,
  });
  expect(await responseTo('nonsense\r\n\r\n')).toEqual(errorEnvelope(400, 'api_error'));
  const long = `GET /v1/agents HTTP/1.1\r\nhost: x\r\nx-api-key: ${'a'.repeat(20_000)}\r\n\r\n`;
  expect(await responseTo(long)).toEqual(errorEnvelope(431, 'api_error'));
  await app.close();
});

it('the request timeout allows the largest upload on a slow connection; the headers timeout is short', async () => {
  const { server } = shared().app;
  const largestBits = 20 * 20 * 1_048_576 * 8;
  expect(largestBits / (server.requestTimeout / 1_000)).toBeLessThan(6_000_000);
  expect(server.headersTimeout).toBe(10_000);
});

it.each([
  ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, /Content-Encoding/],
  ['another charset', { 'content-type': 'application/json; charset=utf-16' }, /charset/],
])('%s is 415', async (_, headers, message) => {
  const request = { method: 'POST', url: '/v1/agents', payload: '{}' } as const;
  const response = await shared().app.inject({ ...request, headers: { 'x-api-key': ADMIN_KEY, ...headers } });
  expect([response.statusCode, response.json().error.message]).toEqual([415, expect.stringMatching(message)]);
});

it('names the cause of a body that has a name with a meaning in JavaScript', async () => {
  const request = { method: 'POST', url: '/v1/calls/stage', payload: '{"dynamic_variables":{"__proto__":1}}' } as const;
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' };
  const response = await shared().app.inject({ ...request, headers });
  expect([response.statusCode, response.json().error.message]).toEqual([400, expect.stringContaining('__proto__')]);
});

it('CONNECT is refused with 400 and an error envelope, and the connection is closed', async () => {
  const { app } = await testApi();
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString();
  });
  socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n');
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toContain('"type":"api_error"');
});
