import { expect, it } from 'vitest';
import { failureOf, failureOfText } from '../../console/src/api/api-failure.ts';

it('a failure of the API has its message and its fields', () => {
  const details = [{ field: 'name', message: 'Required' }];
  const body = { error: { type: 'validation_error', message: 'name: Required', details } };
  expect(failureOf(422, body)).toMatchObject({ status: 422, message: 'name: Required', details });
  expect(failureOfText(422, JSON.stringify(body))).toMatchObject({ status: 422, message: 'name: Required', details });
});

it.each(['<html><body>502 Bad Gateway</body></html>', '', 'null', '{"error": "Forbidden"}'])(
  'a body «%s» of a proxy gives the HTTP status as the message',
  (text) => {
    expect(failureOfText(502, text)).toMatchObject({ status: 502, message: 'HTTP 502', details: [] });
  },
);
