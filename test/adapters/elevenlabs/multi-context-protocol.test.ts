import { describe, expect, it } from 'vitest';
import { readMultiContext } from '../../../adapters/elevenlabs/multi-context-protocol.ts';

describe('messages of the multi-context socket', () => {
  it.each([
    ['invalid_api_key', 'unauthorized', false],
    ['quota_exceeded', 'rate_limited', false],
    ['too_many_concurrent_requests', 'rate_limited', true],
    ['system_busy', 'unavailable', true],
    ['voice_not_found', 'bad_request', false],
    ['max_character_limit_exceeded', 'bad_request', false],
    ['something_new', 'unavailable', true],
  ])('reports the error %s as %s', (error, code, retryable) => {
    const events = readMultiContext(JSON.stringify({ message: 'the key is secret', error, code: 1008 }));
    expect(events).toMatchObject([{ type: 'failed', context: undefined, error: { code, retryable } }]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('does not report the prose of an error message', () => {
    const events = readMultiContext(JSON.stringify({ error: 'Your key xi-secret is wrong', contextId: 'a' }));
    expect(events).toMatchObject([{ type: 'failed', context: 'a', error: { code: 'unavailable' } }]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it.each([
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

  it.each(['{}', '{"isFinal":null,"contextId":"a"}', '{"audio":"AAAA"}', '{"audio":"","contextId":"a"}'])(
    'ignores unused messages: %s',
    (text) => {
      expect(readMultiContext(text)).toEqual([]);
    },
  );
});
