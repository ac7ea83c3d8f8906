import { describe, expect, it } from 'vitest';
import { startTestService } from './test-service.ts';

describe('a start', () => {
  it.each(['DEFAULT_LLM_PROVIDER', 'DEFAULT_VOICE_PROVIDER', 'DEFAULT_TRANSCRIBER_PROVIDER'])(
    'with a %s that nobody has is refused, naming the variable and what there is',
    async (variable) => {
      await expect(startTestService({ [variable]: 'nope' })).rejects.toThrow(
        new RegExp(`${variable}: expected one of .*`),
      );
    },
  );
});
