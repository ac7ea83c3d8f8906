import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { FinalWords } from '../../../engine/core/state/interruption-slice.ts';
import {
  hearsBackground,
  onBackgroundSpeech,
  restoreLeftOutWords,
  withoutBackgroundWords,
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

  it('are those of a person after a machine that has answered', () => {
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

it('a final loses the words of the background, which come first, with their own times', () => {
  const words = [
    { text: 'Yes', startMs: 1_000, endMs: 1_400 },
    { text: 'the', startMs: 6_000, endMs: 6_200 },
    { text: 'news', startMs: 6_300, endMs: 6_700 },
  ];
  const final = { type: 'transcriber.final', text: 'Yes the news', startMs: 1_000, endMs: 6_700, words } as const;
  const { echo } = ruleStep().context;
  const { context, time } = ruleStep(
    {
      background: [{ fromUs: 5_000_000, untilUs: 8_000_000 }],
      echo: { ...echo, activity: [{ fromUs: 900_000, untilUs: 1_500_000 }] },
    },
    9_000,
  );
  const [left, own] = withoutBackgroundWords(context, final, time);
  expect(left).toMatchObject({
    type: 'engine.words_left_out',
    words: { text: 'the news', startMs: 6_000, endMs: 6_700, words: words.slice(1) },
  });
  expect(own).toMatchObject({ type: 'transcriber.final', text: 'Yes', words: words.slice(0, 1) });
});
