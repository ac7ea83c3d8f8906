import { expect, it } from 'vitest';
import { shownDetail } from '../../../adapters/provider-failure/error-detail.ts';

it.each([
  [
    { detail: [{ type: 'missing', loc: ['body', 'voice'], msg: 'Field required', input: 'secret' }] },
    ' (missing: body.voice)',
  ],
  [
    { detail: [{ type: 'string_type', loc: ['body', 'messages', 0, 'content'] }, 7] },
    ' (string_type: body.messages.0.content)',
  ],
  [{ detail: [{ type: 'value_error.missing', loc: ['body', 'voice'] }] }, ' (value_error.missing: body.voice)'],
  [{ detail: [{ type: 'missing', loc: ['body', 'a secret'] }] }, ' (missing)'],
  [{ detail: { error: 'validation_error', message: 'secret', type: 'invalid_request_error' } }, ' (validation_error)'],
  [{ detail: { status: 'voice_not_found', message: 'secret' } }, ' (voice_not_found)'],
  [{ detail: 'model_not_found' }, ' (model_not_found)'],
  [{ detail: 'The key secret is wrong' }, ''],
  [{ detail: { code: 7, message: 'secret' } }, ''],
  [{ detail: [] }, ''],
  [{ detail: ['secret'] }, ''],
  [{ detail: null }, ''],
  ['secret', ''],
  [undefined, ''],
])('shows only the parts of %j that are not prose', (body, detail) => {
  expect(shownDetail(body)).toBe(detail);
});
