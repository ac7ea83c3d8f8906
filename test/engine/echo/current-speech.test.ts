import { describe, expect, it } from 'vitest';
import type { ActivityInterval } from '../../../engine/core/state/interruption-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { repeatsCurrentSpeech } from '../../../engine/echo/current-speech.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { PLAYOUT_START_MS, segmentOf } from './heard-echo.ts';

const NOW_MS = 30_000;
const TEXT = 'Monday Tuesday Wednesday';
/** The voice reports when its words play, from the start of the segment. */
const WORD_MS = 1_000;
const WORDS = TEXT.split(' ').map((text, at) => ({ text, startMs: at * WORD_MS, endMs: (at + 1) * WORD_MS }));
const TUESDAY_MS = PLAYOUT_START_MS + WORD_MS;
const DELAY_MS_MAX = 900;
const LATE_MS_MAX = 1_000;

interface KnownEcho {
  readonly delayMs?: number;
  /** Start and end of near-end speech, in ms. */
  readonly spoke?: readonly [number, number];
}

/** Whether words that were heard at this time may be a late echo of the agent, who says `TEXT`. */
function repeats(text: string, fromMs: number, { delayMs, spoke }: KnownEcho = {}, isFinal = true): boolean {
  const activity: readonly ActivityInterval[] =
    spoke === undefined ? [] : [{ fromUs: spoke[0] * 1000, untilUs: spoke[1] * 1000 }];
  const echo = { delayMs: delayMs ?? null, learntUs: delayMs === undefined ? null : 0, activity };
  const count = text.split(' ').length;
  const revision = { text, startMs: fromMs, endMs: fromMs + count * WORD_MS, words: [], isFinal };
  const speech = revise(NO_SPEECH, revision, { activityStartMs: fromMs, wordErrorMs: 0 });
  const step = ruleStep({ echo, userTurn: { ...SILENT_USER, speech } }, NOW_MS);
  startReply(step, null);
  changeReply(step, { segments: [segmentOf(TEXT, { words: WORDS, durationMs: WORDS.length * WORD_MS })] });
  return repeatsCurrentSpeech(step, count);
}

describe('a late echo of the agent’s current speech', () => {
  it('repeats words that were played before it, by no more than the longest delay and the error of word times', () => {
    const latestMs = TUESDAY_MS + DELAY_MS_MAX + LATE_MS_MAX;
    expect(repeats('Tuesday', TUESDAY_MS - 1)).toBe(false);
    expect(repeats('Tuesday', TUESDAY_MS)).toBe(true);
    expect(repeats('Tuesday', latestMs)).toBe(true);
    expect(repeats('Tuesday', latestMs + 1)).toBe(false);
    expect(repeats('Tuesday Wednesday', TUESDAY_MS + 500)).toBe(true);
  });

  it('is later than the known delay by no more than that error', () => {
    const latestMs = TUESDAY_MS + 300 + LATE_MS_MAX;
    expect(repeats('Tuesday', latestMs, { delayMs: 300 })).toBe(true);
    expect(repeats('Tuesday', latestMs + 1, { delayMs: 300 })).toBe(false);
  });

  it('has no near-end speech on a line whose echo is known', () => {
    const spoke = [TUESDAY_MS + 300, TUESDAY_MS + 300 + WORD_MS] as const;
    expect(repeats('Tuesday', spoke[0], { spoke, delayMs: 300 })).toBe(false);
    expect(repeats('Tuesday', spoke[0], { spoke })).toBe(true);
  });

  it('may end in a part of a word while its words can change', () => {
    expect(repeats('Tues', TUESDAY_MS, {}, false)).toBe(true);
    expect(repeats('Tues', TUESDAY_MS)).toBe(false);
    expect(repeats('Friday', TUESDAY_MS)).toBe(false);
  });

  it('is no echo without words or without a reply', () => {
    expect(repeatsCurrentSpeech(ruleStep(), 0)).toBe(false);
    expect(repeatsCurrentSpeech(ruleStep(), 1)).toBe(false);
  });
});
