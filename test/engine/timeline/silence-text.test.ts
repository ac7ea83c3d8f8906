import { expect, it } from 'vitest';
import { causeText } from '../../../engine/timeline/silence-text.ts';

it('a late transcriber is named', () => {
  expect(causeText({ type: 'transcriber_late', lateMs: 1_200 })).toBe(
    'the transcriber was late: its words came 1.20 s after the end of speech',
  );
});
