import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { getHeader } from '../../../sip/message/headers.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import { SipPeer } from '../../sip-endpoint/sip-peer.ts';
import { eventually } from '../rig/eventually.ts';
import { FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

let test: TestService;
let registrar: SipCallee;

beforeAll(async () => {
  test = await startTestService();
  registrar = await SipCallee.open();
});
afterAll(async () => {
  registrar?.close();
  await test?.close();
});

const trunkSchema = z.looseObject({
  id: z.string(),
  registration: z.object({ status: z.string(), expires_at: z.string().nullable(), error: z.string().nullable() }),
});

it('a trunk with registration registers, shows it in the API, and unregisters when removed', async () => {
  registrar.onRequest = (request) => registrar.respond(request, 200, 'OK');
  const { id } = await test.api.requestOk(trunkSchema, 'POST', '/v1/sip-trunks', {
    name: 'Carrier',
    termination_uri: `127.0.0.1:${registrar.hop.port}`,
    username: 'alice',
    password: 'secret-secret',
    register: true,
  });
  await eventually(async () => {
    const { registration } = await test.api.requestOk(trunkSchema, 'GET', `/v1/sip-trunks/${id}`);
    expect(registration).toEqual({ status: 'registered', expires_at: expect.any(String), error: null });
    expect(Date.parse(registration.expires_at ?? '')).toBeGreaterThan(Date.now() + 3_500_000);
  });
  await test.api.requestOk(z.unknown(), 'DELETE', `/v1/sip-trunks/${id}`);
  await eventually(() => {
    const expires = registrar.requests.map(({ headers }) => getHeader(headers, 'Expires'));
    expect(expires).toEqual(['3600', '0']);
  });
});

it('a service that stops unregisters its trunks', async () => {
  registrar.requests.length = 0;
  const draining = await startTestService();
  await draining.api.requestOk(trunkSchema, 'POST', '/v1/sip-trunks', {
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

it('an INVITE to the registered user name reaches the number in its To header', async () => {
  registrar.onRequest = (request) => registrar.respond(request, 200, 'OK');
  const agent = await test.api.createAgent(talker());
  await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: TO, inbound_agent_id: agent.id });
  await test.api.requestOk(trunkSchema, 'POST', '/v1/sip-trunks', {
    name: 'Carrier',
    termination_uri: `127.0.0.1:${registrar.hop.port}`,
    username: 'line-7',
    password: 'secret-secret',
    register: true,
  });
  const carrier = await SipPeer.open({ host: '127.0.0.1', port: test.sipPort });
  const inviteTo = (user: string, addressee: string) => {
    const invite = carrier.invite(user, '');
    const to = { name: 'To', value: `<sip:${addressee}@carrier.example>` };
    const from = { name: 'From', value: `<sip:${FROM}@carrier.example>;tag=${user}` };
    const headers = invite.headers.map((header) => [to, from].find(({ name }) => name === header.name) ?? header);
    return { ...invite, headers };
  };
  carrier.send(inviteTo('somebody-else', TO));
  await carrier.response(404);
  carrier.send(inviteTo('line-7', '+33999999999'));
  await carrier.response(404);
  const invite = inviteTo('line-7', TO);
  carrier.send(invite);
  const ok = await carrier.response(200);
  carrier.send(carrier.inDialog(invite, ok, 'ACK', 1));
  const calls = await test.api.requestOk(
    z.array(z.looseObject({ from_number: z.string() })),
    'GET',
    `/v1/calls?to_number=${encodeURIComponent(TO)}`,
  );
  expect(calls.map(({ from_number }) => from_number)).toEqual([FROM]);
  await carrier.close();
});
