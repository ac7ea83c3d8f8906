import { describe, expect, test } from 'vitest';
import { readMultiContext } from '../../../adapters/elevenlabs/multi-context.ts';

describe('messages of the multi-context socket', () => {
  test.each([
    ['invalid_api_key', 'unauthorized', false],
    ['quota_exceeded', 'rate_limited', false],
    ['too_many_concurrent_requests', 'rate_limited', true],
    ['system_busy', 'unavailable', true],
    ['voice_not_found', 'bad_request', false],
    ['max_character_limit_exceeded', 'bad_request', false],
    ['something_new', 'unavailable', true],
  ])('reports the error %s as %s', (error, code, retryable) => {
    const read = readMultiContext(JSON.stringify({ message: 'the key is secret', error, code: 1008 }));
    expect(read).toMatchObject([{ type: 'failed', context: undefined, error: { code, retryable } }]);
    expect(JSON.stringify(read)).not.toContain('secret');
  });

  test('does not pass on the sentence of an error', () => {
    const read = readMultiContext(JSON.stringify({ error: 'Your key xi-secret is wrong', contextId: 'a' }));
    expect(read).toMatchObject([{ type: 'failed', context: 'a', error: { code: 'unavailable' } }]);
    expect(JSON.stringify(read)).not.toContain('secret');
  });

  test.each([
    '{"audio":',
    'null',
    '[]',
    '"text"',
    '{"audio":5,"contextId":"a"}',
    '{"audio":"not base64!","contextId":"a"}',
    '{"audio":"AAAA","contextId":7}',
    '{"alignment":{"chars":"abc"},"contextId":"a"}',
  ])('rejects a message outside the protocol as malformed: %s', (text) => {
    expect(readMultiContext(text)).toEqual([{ type: 'malformed' }]);
  });

  test.each(['{}', '{"isFinal":null,"contextId":"a"}', '{"audio":"AAAA"}', '{"audio":"","contextId":"a"}'])(
    'ignores unused messages: %s',
    (text) => {
      expect(readMultiContext(text)).toEqual([]);
    },
  );
});
