import { expect, it } from 'vitest';
import { ADMIN_KEY, sharedApi } from '../test-api.ts';

const shared = sharedApi();

const PLACED_LENGTH_MAX = 131_072;

it.each([
  ['{"name":', 'line 1, column 9: expected a value, and the text ends here'],
  ['{\n  "name": "a"\n  "base_prompt": "+49 30 12345"\n}', 'line 3, column 3: expected a , or the closing bracket'],
  ['\uFEFF{]', 'line 1, column 2: expected a name in double quotes or }'],
])('a body that is not JSON is refused with the position of the fault: %j', async (payload, place) => {
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' };
  const response = await shared().app.inject({ method: 'POST', url: '/v1/agents', headers, payload });
  expect(response.statusCode).toBe(400);
  expect(response.json().error.message).toBe(`The body is not valid JSON: ${place}`);
});

it('a long body that is not JSON is refused without the position, which would take long to find', async () => {
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' };
  const payload = '['.repeat(PLACED_LENGTH_MAX + 1);
  const response = await shared().app.inject({ method: 'POST', url: '/v1/agents', headers, payload });
  expect(response.json().error).toMatchObject({ status: 400, message: 'The body is not valid JSON' });
});

it.each([
  ['in Latin-1', Buffer.from('{"name":"Bäcker"}', 'latin1')],
  ['that ends within a character', Buffer.from('{"name":"ä', 'utf8').subarray(0, -1)],
  ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
])('a body %s is refused, and not stored changed', async (_, payload) => {
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json' };
  const response = await shared().app.inject({ method: 'POST', url: '/v1/agents', headers, payload });
  expect(response.statusCode).toBe(400);
  expect(response.json().error.message).toBe('The body is not valid UTF-8: JSON must be encoded in UTF-8');
});

it('a body of another length than its Content-Length is refused with the cause', async () => {
  const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json', 'content-length': '3' };
  const response = await shared().app.inject({ method: 'POST', url: '/v1/agents', headers, payload: '{}' });
  const message = 'The body has another length than the Content-Length header says';
  expect(response.json().error).toMatchObject({ status: 400, message });
});
