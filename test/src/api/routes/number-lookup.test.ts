import { expect, it } from 'vitest';
import { createAgent, sharedApi, type TestApi } from '../test-api.ts';

const shared = sharedApi();
const LOOKUP = 'https://crm.example/lookup';
let added = 0;

async function addNumber(api: TestApi, fields: object) {
  added += 1;
  const { status, body } = await api.ask('POST', '/v1/phone-numbers', {
    number: `+49301234${1_000 + added}`,
    ...fields,
  });
  return { status, body };
}

async function signingAgent(api: TestApi): Promise<string> {
  const id = await createAgent(api);
  await api.ask('POST', `/v1/agents/${id}/webhook-secret`);
  return id;
}

it('lookup webhook and header variables of a number are stored, changed, cleared and returned', async () => {
  const api = shared();
  const inbound_agent_id = await signingAgent(api);
  const listed = [
    { header: 'X-Customer', variable: 'customer_id' },
    { header: 'User-to-User', variable: 'uui' },
  ];
  const given = { inbound_agent_id, lookup_webhook_url: LOOKUP, sip_header_variables: listed };
  const { status, body } = await addNumber(api, given);
  expect([status, body.data]).toMatchObject([201, given]);
  const url = `/v1/phone-numbers/${body.data.id}`;
  const read = (await api.ask('GET', url)).body.data;
  expect(read).toMatchObject(given);
  expect((await api.ask('PATCH', url, read)).status).toBe(200);
  const cleared = { lookup_webhook_url: null, sip_header_variables: [] };
  expect((await api.ask('PATCH', url, cleared)).body.data).toMatchObject(cleared);
  expect((await api.ask('GET', url)).body.data).toMatchObject(cleared);
});

it.each([
  ['ftp://crm.example/'],
  ['https://user:password@crm.example/'],
  ['crm.example'],
  [`https://crm.example/${'x'.repeat(2_048)}`],
])('a lookup webhook at %j is 422', async (lookup_webhook_url) => {
  const api = shared();
  const { body, status } = await addNumber(api, { inbound_agent_id: await signingAgent(api), lookup_webhook_url });
  expect([status, body.error.details[0].field]).toEqual([422, 'lookup_webhook_url']);
});

it('a lookup webhook needs an inbound agent with a webhook secret', async () => {
  const api = shared();
  const without = await addNumber(api, { lookup_webhook_url: LOOKUP });
  expect([without.status, without.body.error.message]).toEqual([
    422,
    'lookup_webhook_url: expected an inbound_agent_id too: its agent takes the call if the webhook fails',
  ]);
  const unsigned = await createAgent(api);
  const added = await addNumber(api, { inbound_agent_id: unsigned, lookup_webhook_url: LOOKUP });
  expect([added.status, added.body.error.message]).toEqual([
    422,
    'lookup_webhook_url: expected a webhook secret of the inbound agent: create one with POST /v1/agents/{id}/webhook-secret',
  ]);
  const agentId = await signingAgent(api);
  const { body } = await addNumber(api, { inbound_agent_id: agentId, lookup_webhook_url: LOOKUP });
  const url = `/v1/phone-numbers/${body.data.id}`;
  for (const change of [{ inbound_agent_id: null }, { inbound_agent_id: unsigned }]) {
    expect((await api.ask('PATCH', url, change)).status).toBe(422);
  }
  expect((await api.ask('DELETE', `/v1/agents/${agentId}`)).status).toBe(200);
  expect((await api.ask('PATCH', url, { name: 'Still ours' })).body.data).toMatchObject({
    name: 'Still ours',
    inbound_agent_id: null,
    lookup_webhook_url: LOOKUP,
  });
});

it.each([
  ['sip_header_variables[0].header', [{ header: 'Authorization', variable: 'a' }]],
  ['sip_header_variables[0].header', [{ header: 'proxy-authorization', variable: 'a' }]],
  ['sip_header_variables[0].header', [{ header: 'P-Asserted-Identity', variable: 'a' }]],
  ['sip_header_variables[0].header', [{ header: 'f', variable: 'a' }]],
  ['sip_header_variables[0].header', [{ header: 'X Customer', variable: 'a' }]],
  ['sip_header_variables[0].header', [{ header: '', variable: 'a' }]],
  ['sip_header_variables[0].variable', [{ header: 'X-A', variable: 'a b' }]],
  ['sip_header_variables[0].variable', [{ header: 'X-A', variable: 'from_number' }]],
  ['sip_header_variables[0].name', [{ header: 'X-A', variable: 'a', name: 'a' }]],
  [
    'sip_header_variables',
    [
      { header: 'Subject', variable: 'a' },
      { header: 's', variable: 'b' },
    ],
  ],
  [
    'sip_header_variables',
    [
      { header: 'X-A', variable: 'a' },
      { header: 'X-B', variable: 'a' },
    ],
  ],
  ['sip_header_variables', Array.from({ length: 21 }, (_, at) => ({ header: `X-${at}`, variable: `v${at}` }))],
])('a fault of %s is 422: %j', async (field, sip_header_variables) => {
  const { body, status } = await addNumber(shared(), { sip_header_variables });
  expect([status, body.error.details[0].field]).toEqual([422, field]);
});
