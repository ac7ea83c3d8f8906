import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { interruptingWordsMs } from '../../../engine/interruption/interrupting-words.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const word = (text: string, startMs: number) => ({ text, startMs, endMs: startMs + 200 });
const WORDS = [word('no', 1_000), word('wait', 1_500), word('please', 2_000)];
const SPAN = { text: 'no wait please', startMs: 1_000, endMs: 2_200, words: WORDS };
const FINAL: CallEvent = { type: 'transcriber.final', ...SPAN };

/** The user has said three words, the first of them before the interruption. */
function lengthMs(event: CallEvent, wordsBefore = 0): number {
  const userTurn = { ...SILENT_USER, speech: speechOf({ finals: ['No wait please'] }) };
  const interruption = { startedUs: 0, stoppedUs: null, lastedUntilUs: null, pausedUntilUs: null, playedMs: null };
  return interruptingWordsMs(
    ruleStep({ userTurn, interruption: { ...interruption, status: 'tentative', wordsBefore } }, 3_000, event),
  );
}

describe('the length of the words that interrupt', () => {
  it('is that from the first new word to the last one, by the transcriber’s times', () => {
    expect(lengthMs(FINAL)).toBe(1_200);
    expect(lengthMs(FINAL, 1)).toBe(700);
    expect(lengthMs({ type: 'transcriber.interim', ...SPAN })).toBe(1_200);
    expect(lengthMs({ type: 'transcriber.turn', phase: 'updated', ...SPAN })).toBe(1_200);
  });

  it('is 0 without a new word or without word times', () => {
    expect(lengthMs(FINAL, 3)).toBe(0);
    expect(lengthMs({ ...FINAL, words: [] })).toBe(0);
  });

  it('never counts the words of the agent’s own voice', () => {
    expect(lengthMs({ type: 'voice.words', segment: 1, words: WORDS })).toBe(0);
  });
});
