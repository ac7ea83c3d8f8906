import { expect, it } from 'vitest';
import { cursorText, cursorUs } from '../../../../src/api/schemas/pagination.ts';
import type { AnswerBody } from '../answer-body.ts';
import { createAgent, OTHER_KEY, sharedApi, type TestApi, testApi } from '../test-api.ts';

const shared = sharedApi();

const DESK = '+493012345678';
const UNKNOWN_ID = '00000000-0000-4000-8000-00000000000f';

async function addNumbers(api: TestApi, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => `+4930000000${index}`);
  for (const number of numbers) expect((await api.ask('POST', '/v1/phone-numbers', { number })).status).toBe(201);
  return numbers;
}

function numbersOf({ data }: AnswerBody): string[] {
  return data.map(({ number }) => number);
}

it('a number is added, given an inbound agent, read and removed', async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const added = await api.ask('POST', '/v1/phone-numbers', { number: DESK });
  expect(added.body.data).toEqual({
    id: expect.any(String),
    number: DESK,
    name: DESK,
    created_at: '2026-01-01T00:00:00.000Z',
    type: 'sip',
    inbound_agent_id: null,
    redirect: false,
    redirect_phone_number: null,
    redirect_mode: 'sip_302',
    lookup_webhook_url: null,
    sip_header_variables: [],
    trunk_id: null,
    sip_uri: null,
  });
  const { id } = added.body.data;
  const changed = await api.ask('PATCH', `/v1/phone-numbers/${id}`, { inbound_agent_id: agentId, name: 'Desk' });
  expect([changed.status, changed.body.data.inbound_agent_id, changed.body.data.name]).toEqual([200, agentId, 'Desk']);
  expect((await api.ask('GET', `/v1/phone-numbers/${id}`)).body.data).toEqual(changed.body.data);
  expect((await api.ask('PATCH', `/v1/phone-numbers/${id}`, changed.body.data)).body.data).toEqual(changed.body.data);
  expect(await api.repositories.phoneNumbers.findByNumber(DESK)).toMatchObject({ id, inboundAgentId: agentId });
  const cleared = await api.ask('PATCH', `/v1/phone-numbers/${id}`, { inbound_agent_id: null });
  expect(cleared.body.data).toMatchObject({ inbound_agent_id: null, name: 'Desk' });
  expect((await api.ask('PATCH', `/v1/phone-numbers/${id}`, {})).status).toBe(200);
  expect((await api.ask('DELETE', `/v1/phone-numbers/${id}`)).body).toMatchObject({ data: null, status: 200 });
  expect((await api.ask('DELETE', `/v1/phone-numbers/${id}`)).status).toBe(404);
});

it('a number that is in use is 409, whichever organization has it', async () => {
  const api = await testApi();
  await api.ask('POST', '/v1/phone-numbers', { number: DESK });
  const [own, other] = await Promise.all(
    [undefined, OTHER_KEY].map((key) => api.ask('POST', '/v1/phone-numbers', { number: DESK }, key)),
  );
  expect([own?.status, own?.body.error.type]).toEqual([409, 'api_error']);
  expect([other?.status, other?.body], 'does not tell whose it is').toEqual([own?.status, own?.body]);
});

it.each([
  ['no number', {}, 'number'],
  ['an invalid number', { number: '030 123' }, 'number'],
  ['a redirect without a number', { number: DESK, redirect: true }, 'redirect_phone_number'],
  ['a redirect to a premium number', { number: DESK, redirect_phone_number: '+499001234567' }, 'redirect_phone_number'],
  ['a redirect to itself', { number: DESK, redirect_phone_number: DESK }, 'redirect_phone_number'],
  ['an unknown redirect mode', { number: DESK, redirect_mode: 'refer' }, 'redirect_mode'],
  ['an agent that does not exist', { number: DESK, inbound_agent_id: UNKNOWN_ID }, 'inbound_agent_id'],
  ['a trunk that does not exist', { number: DESK, trunk_id: UNKNOWN_ID }, 'trunk_id'],
  ['an unknown type', { number: DESK, type: 'carrier pigeon' }, 'type'],
  ['an unknown field', { number: DESK, colour: 'red' }, 'colour'],
])('a phone number with %s is 422', async (_fault, body, field) => {
  const api = shared();
  const answer = await api.ask('POST', '/v1/phone-numbers', body);
  expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
  expect((await api.ask('GET', '/v1/phone-numbers')).body.total_items).toBe(0);
});

it("another organization's agent cannot answer a number", async () => {
  const api = await testApi();
  const agentId = await createAgent(api);
  const { status, body } = await api.ask(
    'POST',
    '/v1/phone-numbers',
    { number: DESK, inbound_agent_id: agentId },
    OTHER_KEY,
  );
  expect([status, body.error.details[0].field]).toEqual([422, 'inbound_agent_id']);
});

it('redirect needs a redirect number', async () => {
  const api = await testApi();
  const { body } = await api.ask('POST', '/v1/phone-numbers', { number: DESK });
  const url = `/v1/phone-numbers/${body.data.id}`;
  expect((await api.ask('PATCH', url, { redirect: true })).status).toBe(422);
  expect((await api.ask('PATCH', url, { redirect: true, redirect_phone_number: '+15551234567' })).status).toBe(200);
  expect((await api.ask('PATCH', url, { redirect_mode: 'bridge' })).body.data).toMatchObject({
    redirect_mode: 'bridge',
  });
  expect((await api.ask('PATCH', url, { redirect_mode: null })).status).toBe(422);
  expect((await api.ask('PATCH', url, { redirect_phone_number: null })).status).toBe(422);
  expect((await api.ask('GET', url)).body.data).toMatchObject({
    redirect: true,
    redirect_phone_number: '+15551234567',
    redirect_mode: 'bridge',
  });
});

it('pages contain every number once, newest first', async () => {
  const api = await testApi();
  const newest = (await addNumbers(api, 5)).reverse();
  const first = await api.ask('GET', '/v1/phone-numbers?limit=2');
  expect(first.body).toMatchObject({ current_page: 1, total_pages: 3, total_items: 5, status: 200, error: null });
  expect(first.body).not.toHaveProperty('next_cursor');
  const third = await api.ask('GET', '/v1/phone-numbers?limit=2&page=3');
  expect([...numbersOf(first.body), ...numbersOf(third.body)]).toEqual([newest[0], newest[1], newest[4]]);
  expect((await api.ask('GET', '/v1/phone-numbers?page=4&limit=2')).body.data).toEqual([]);
});

it('a cursor returns every number once, even while others are added in the same millisecond', async () => {
  const api = await testApi();
  const newest = (await addNumbers(api, 5)).reverse();
  const listedNumbers: string[] = [];
  let cursor = '';
  for (let page = 0; page < 10; page += 1) {
    const { body } = await api.ask('GET', `/v1/phone-numbers?use_cursor=true&limit=2${cursor}`);
    expect(body).not.toHaveProperty('total_items');
    listedNumbers.push(...numbersOf(body));
    if (body.next_cursor === null) break;
    expect(body.next_cursor).toMatch(/^2026-01-01T00:00:00\.\d{6}Z$/);
    cursor = `&cursor=${body.next_cursor}`;
    await api.ask('POST', '/v1/phone-numbers', { number: `+4940000000${page}` });
  }
  expect(listedNumbers).toEqual(newest);
});

it.each([
  'page=0',
  'page=x',
  'limit=0',
  'limit=1001',
  'use_cursor=perhaps',
  'use_cursor=true&cursor=yesterday',
  'use_cursor=true&cursor=2026-01-01T00:00:00%2B99:00',
  'limt=1',
])('a list with ?%s is 422', async (query) => {
  const api = shared();
  expect((await api.ask('GET', `/v1/phone-numbers?${query}`)).status).toBe(422);
});

it('a cursor keeps its microseconds', () => {
  for (const us of [1_767_225_600_000_000, 1_767_225_600_000_001, 1_767_225_600_999_999]) {
    expect(cursorUs(cursorText(us))).toBe(us);
  }
  expect(cursorUs('2026-01-01T00:00:00Z')).toBe(1_767_225_600_000_000);
  expect(cursorUs('2026-01-01T00:00:00.5Z')).toBe(1_767_225_600_500_000);
  expect(cursorUs('2026-01-01T02:00:00.500001+02:00')).toBe(1_767_225_600_500_001);
  expect(cursorUs('2026-01-01T00:00:00.500001')).toBe(1_767_225_600_500_001);
});

it('a trunk is added, listed and removed; its password is encrypted and never returned', async () => {
  const api = await testApi();
  const trunk = {
    name: 'Carrier',
    termination_uri: 'sip.example.com:5070',
    transport: 'tcp',
    username: 'me',
    password: 'hunter2-hunter2',
    allowed_addresses: ['192.0.2.0/24', '2001:db8::1'],
    register: true,
    codecs: ['pcma'],
    srtp: 'optional',
    inband_dtmf: true,
    max_concurrent_calls: 30,
    max_calls_per_second: 5,
    priority: 1,
    options_interval: 30,
    country: 'FR',
    from_user: 'account7',
    from_domain: 'sip.example.com',
  };
  const added = await api.ask('POST', '/v1/sip-trunks', trunk);
  expect(added.status).toBe(201);
  const { password, ...visibleFields } = trunk;
  expect(added.body.data).toEqual({
    id: expect.any(String),
    created_at: '2026-01-01T00:00:00.000Z',
    registration: null,
    reachability: null,
    ...visibleFields,
  });
  const { id } = added.body.data;
  expect((await api.ask('GET', `/v1/sip-trunks/${id}`)).body.data).toEqual(added.body.data);
  expect((await api.ask('GET', '/v1/sip-trunks')).body).toMatchObject({ data: [added.body.data], total_items: 1 });
  expect((await api.ask('PATCH', `/v1/sip-trunks/${id}`, added.body.data)).body.data).toEqual(added.body.data);
  const stored = await api.repositories.sipTrunks.find('00000000-0000-4000-8000-000000000001', id);
  expect(stored?.passwordSealed).not.toContain(password);
  expect(api.secrets.open(stored?.passwordSealed ?? '', 'trunk_password')).toBe(password);
  const number = await api.ask('POST', '/v1/phone-numbers', { number: DESK, trunk_id: id });
  expect((await api.ask('DELETE', `/v1/sip-trunks/${id}`)).status).toBe(200);
  expect((await api.ask('GET', `/v1/sip-trunks/${id}`)).status).toBe(404);
  expect((await api.ask('GET', `/v1/phone-numbers/${number.body.data.id}`)).body.data.trunk_id).toBeNull();
});

it.each([
  ['no name', { termination_uri: 'x.example' }, 'name'],
  ['a URI with a scheme', { name: 'x', termination_uri: 'sip:x.example' }, 'termination_uri'],
  ['an invalid port', { name: 'x', termination_uri: 'x.example:99999' }, 'termination_uri'],
  ['an invalid bracketed address', { name: 'x', termination_uri: '[12:zz]:5060' }, 'termination_uri'],
  ['a line break', { name: 'x', termination_uri: 'x.example\r\nVia: y' }, 'termination_uri'],
  ['a registration without a password', { name: 'x', termination_uri: 'x', username: 'u', register: true }, 'register'],
  ['a username of two lines', { name: 'x', termination_uri: 'x', username: 'u\r\nX: y' }, 'username'],
  ['a limit of zero calls', { name: 'x', termination_uri: 'x', max_concurrent_calls: 0 }, 'max_concurrent_calls'],
  ['an unknown codec', { name: 'x', termination_uri: 'x', codecs: ['mp3'] }, 'codecs[0]'],
  ['an unknown transport', { name: 'x', termination_uri: 'x.example', transport: 'ws' }, 'transport'],
  ['an unknown country', { name: 'x', termination_uri: 'x', country: 'XX' }, 'country'],
  ['a From host with a port', { name: 'x', termination_uri: 'x', from_domain: 'x.example:5060' }, 'from_domain'],
  ['a From user of two lines', { name: 'x', termination_uri: 'x', from_user: 'u\r\nX: y' }, 'from_user'],
  [
    'an invalid address',
    { name: 'x', termination_uri: 'x.example', allowed_addresses: ['10.0.0.0/8', '1.2.3'] },
    'allowed_addresses[1]',
  ],
])('a trunk with %s is 422', async (_fault, body, field) => {
  const api = shared();
  const answer = await api.ask('POST', '/v1/sip-trunks', body);
  expect([answer.status, answer.body.error.details[0].field]).toEqual([422, field]);
});

it.each(['sip.example.com', '192.0.2.1:5060', '[2001:db8::1]', '[2001:db8::1]:5061', 'a'])(
  'a trunk at %s is accepted',
  async (terminationUri) => {
    const api = shared();
    expect((await api.ask('POST', '/v1/sip-trunks', { name: 'x', termination_uri: terminationUri })).status).toBe(201);
  },
);

it('an organization has at most 200 trunks, which bounds no other organization', async () => {
  const api = await testApi();
  const add = (key?: string) => api.ask('POST', '/v1/sip-trunks', { name: 'T', termination_uri: '192.0.2.1' }, key);
  for (let nth = 0; nth < 200; nth++) expect((await add()).status).toBe(201);
  const { body, status } = await add();
  expect([status, body.error.message]).toEqual([409, 'An organization has at most 200 SIP trunks: remove one first']);
  expect((await add(OTHER_KEY)).status).toBe(201);
});
