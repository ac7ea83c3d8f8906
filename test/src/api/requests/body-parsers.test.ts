import { expect, it } from 'vitest';
import { ADMIN_KEY, sharedApi } from '../test-api.ts';

const shared = sharedApi();

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
