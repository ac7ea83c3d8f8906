import { expect, it } from 'vitest';
import { ApiFailure, failureOf, failureOfText } from '../../console/src/api/api-failure.ts';
import { reached, ServiceUnreachable } from '../../console/src/api/service-unreachable.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { errorText } from '../../console/src/ui/error-text.ts';

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

it('shows a network failure in the language of the page, not in the browser’s words', async () => {
  const failed = reached(fetch('http://127.0.0.1:1/'));
  await expect(failed).rejects.toThrow(ServiceUnreachable);
  const error = await failed.catch((thrown: unknown) => thrown);
  expect(errorText(error, de)).toBe('Der Dienst ist nicht erreichbar.');
  expect(errorText(error, en)).toBe('The service cannot be reached.');
});

it('says in the language of the page that a resource does not exist', () => {
  const error = new ApiFailure(404, { message: 'Call not found', details: null });
  expect(errorText(error, de)).toBe('Dies gibt es nicht, oder es wurde gelöscht.');
});

it('other errors keep their message', async () => {
  const aborted = new DOMException('stopped', 'AbortError');
  await expect(reached(Promise.reject(aborted))).rejects.toBe(aborted);
  await expect(reached(Promise.resolve(7))).resolves.toBe(7);
  expect(errorText(new ApiFailure(422, { message: 'name: Required', details: null }), de)).toBe('name: Required');
});
