import { describe, expect, it } from 'vitest';
import { startTestService } from './test-service.ts';

/** A provider's own names, without which no other than the built-in defaults can be. */
const NAMED = { DEFAULT_LLM_MODEL: 'any', DEFAULT_VOICE_NAME: 'any' };

describe('a start', () => {
  it.each(['DEFAULT_LLM_PROVIDER', 'DEFAULT_VOICE_PROVIDER', 'DEFAULT_TRANSCRIBER_PROVIDER'])(
    'with a %s that nobody has is refused, naming the variable and what there is',
    async (variable) => {
      await expect(startTestService({ [variable]: 'nope', ...NAMED })).rejects.toThrow(
        new RegExp(`${variable}: expected one of .*`),
      );
    },
  );

  it('is over once a call can be taken: the first one is not told to try again', async () => {
    const test = await startTestService();
    try {
      expect(test.service.media.admission()).toEqual({ accepted: true });
    } finally {
      await test.close();
    }
  });
});
