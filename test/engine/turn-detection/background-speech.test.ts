import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { FinalWords } from '../../../engine/core/state/interruption-slice.ts';
import {
  hearsBackground,
  onBackgroundSpeech,
  restoreLeftOutWords,
} from '../../../engine/turn-detection/background-speech.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const WORDS: FinalWords = { type: 'transcriber.final', text: 'stop wait', startMs: 1_000, endMs: 2_000, words: [] };
const BACKGROUND = [{ fromUs: 500_000, untilUs: null }];

describe('words that were left out', () => {
  const raisedBy = (context: Partial<CallContext>) => {
    const step = ruleStep({ leftOut: [WORDS], ...context }, 2_500, { type: 'media.speech_started', audioMs: 900 });
    restoreLeftOutWords(step);
    return step.raised;
  };

  it('are the user’s once their speech is reported, unless a voice in the background spoke', () => {
    expect(raisedBy({})).toEqual([WORDS]);
    expect(raisedBy({ background: BACKGROUND })).toEqual([]);
  });

  it('are those of a person behind a machine that has answered', () => {
    const { answeringMachine } = ruleStep().context;
    const machine = { answeringMachine: { ...answeringMachine, type: 'ivr' as const }, background: BACKGROUND };
    expect(raisedBy(machine)).toEqual([WORDS]);
    expect(raisedBy({ ...machine, answeringMachine: { ...answeringMachine, type: 'human' } })).toEqual([]);
  });
});

it('a voice in the background is heard from its start to its end', () => {
  const started = ruleStep({}, 1_000, { type: 'media.background_speech_started', audioMs: 900 });
  onBackgroundSpeech(started);
  expect(started.context.background).toEqual([{ fromUs: 900_000, untilUs: null }]);
  expect(hearsBackground(started.context)).toBe(true);
  const stopped = ruleStep(started.context, 2_000, { type: 'media.background_speech_stopped', audioMs: 1_900 });
  onBackgroundSpeech(stopped);
  expect(stopped.context.background).toEqual([{ fromUs: 900_000, untilUs: 1_900_000 }]);
  expect(hearsBackground(stopped.context)).toBe(false);
  expect(hearsBackground(ruleStep().context)).toBe(false);
});
