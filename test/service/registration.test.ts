import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../sip/embedded-server/grammar/headers.ts';
import { TinyUas } from '../caller/tiny-uas.ts';
import { eventually } from './eventually.ts';
import { startTestService, type TestService } from './test-service.ts';

let test: TestService;
let registrar: TinyUas;

beforeAll(async () => {
  test = await startTestService();
  registrar = await TinyUas.open();
});
afterAll(async () => {
  registrar.close();
  await test.close();
});

const answered = z.looseObject({
  id: z.string(),
  registration: z.object({ status: z.string(), expires_at: z.string().nullable(), error: z.string().nullable() }),
});

it('a trunk that wants it is registered, says so in the API, and is unregistered when it is removed', async () => {
  registrar.onRequest = (request) => registrar.respond(request, 200, 'OK');
  const { id } = await test.api.must(answered, 'POST', '/v1/sip-trunks', {
    name: 'Carrier',
    termination_uri: `127.0.0.1:${registrar.hop.port}`,
    username: 'alice',
    password: 'secret-secret',
    register: true,
  });
  await eventually(async () => {
    const { registration } = await test.api.must(answered, 'GET', `/v1/sip-trunks/${id}`);
    expect(registration).toEqual({ status: 'registered', expires_at: expect.any(String), error: null });
    expect(Date.parse(registration.expires_at ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
  });
  await test.api.must(z.unknown(), 'DELETE', `/v1/sip-trunks/${id}`);
  await eventually(() => {
    const expires = registrar.requests.map(({ headers }) => getHeader(headers, 'Expires'));
    expect(expires).toEqual(['3600', '0']);
  });
});

it('a drain takes the registration back', async () => {
  registrar.requests.length = 0;
  const draining = await startTestService();
  await draining.api.must(answered, 'POST', '/v1/sip-trunks', {
    name: 'Carrier',
    termination_uri: `127.0.0.1:${registrar.hop.port}`,
    username: 'bob',
    password: 'secret-secret',
    register: true,
  });
  await eventually(() => expect(registrar.requests).toHaveLength(1));
  await draining.close();
  expect(registrar.requests.map(({ headers }) => getHeader(headers, 'Expires'))).toEqual(['3600', '0']);
});
