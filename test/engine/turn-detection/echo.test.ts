import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import type { SpokenWord } from '../../../engine/ports/voice.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { isAgentEcho, repeatsCurrentSpeech } from '../../../engine/turn-detection/echo.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

/** 40 characters, which play for 4 s: 100 ms a character. */
const TEXT = 'Monday, or perhaps Tuesday morning, then';
const PLAYOUT = { startedUs: 10_000_000, playedMs: 0 };

function segmentOf(segmentChanges: Partial<Segment> = {}): Segment {
  return {
    number: 1,
    item: 1,
    text: TEXT,
    interruptible: true,
    requestedUs: 9_000_000,
    voiceStartedUs: 9_500_000,
    durationMs: 4_000,
    words: [],
    playout: PLAYOUT,
    ended: true,
    ...segmentChanges,
  };
}

function contextAfter(...segments: readonly Segment[]): CallContext {
  return { ...initialContext(agentWith({}), CALL_PARAMETERS), lastPlayedSegments: segments };
}

/** The first and the last time, in ms of the call, at which words that begin there count as the agent's echo. */
function echoWindow(text: string, ...segments: readonly Segment[]): readonly number[] {
  const context = contextAfter(...segments);
  const allTimes = Array.from({ length: 6_000 }, (_, ms) => 8_000 + ms);
  const echoTimes = allTimes.filter((ms) => isAgentEcho(context, text, ms * 1000));
  return echoTimes.length === 0 ? [] : [echoTimes[0] ?? Number.NaN, echoTimes.at(-1) ?? Number.NaN];
}

/** The word times of `TEXT`, reported by the voice: 1 s a word, from 0.2 s on. */
const WORD_TIMES: readonly SpokenWord[] = ['Monday', 'or', 'perhaps', 'Tuesday', 'morning', 'then'].map(
  (text, index) => ({
    text,
    startMs: 200 + index * 1_000,
    endMs: 1_200 + index * 1_000,
  }),
);

describe('the window of an echo', () => {
  it('reaches from 300 ms before a word to 500 ms after it if the voice reports word times', () => {
    expect(echoWindow('perhaps Tuesday', segmentOf({ words: WORD_TIMES }))).toEqual([11_900, 12_700]);
    expect(echoWindow('Monday or', segmentOf({ words: WORD_TIMES }))).toEqual([9_900, 10_700]);
  });

  it('widens with the error of estimated times: zero at the ends, a tenth of the segment in the middle', () => {
    expect(echoWindow('Monday or', segmentOf())).toEqual([9_700, 10_500]);
    // «or» begins at 20 %: 0.4 · 0.2 · 0.8 of 4 s are 256 ms.
    expect(echoWindow('or perhaps', segmentOf())).toEqual([10_244, 11_556]);
    // «Tuesday» begins at character 19 of 40: 399 ms.
    expect(echoWindow('Tuesday morning', segmentOf())).toEqual([11_201, 12_799]);
  });

  it('assumes 70 ms a character without a segment length, and ignores incomplete word times', () => {
    expect(echoWindow('or perhaps', segmentOf({ durationMs: null }))).toEqual([10_081, 11_239]);
    expect(echoWindow('or perhaps', segmentOf({ words: WORD_TIMES.slice(1) }))).toEqual([10_244, 11_556]);
  });

  it('is earlier by the pause for words that were played before the pause', () => {
    const pauses = [{ untilUs: 11_400_000, forUs: 500_000 }];
    const segment = segmentOf({ words: WORD_TIMES, playout: { ...PLAYOUT, pauses } });
    expect(echoWindow('or perhaps', segment)).toEqual([10_400, 11_200]);
    expect(echoWindow('perhaps Tuesday', segment)).toEqual([11_900, 12_700]);
    // Words that were played from the end of the pause on keep their window.
    const atEnd = segmentOf({
      words: WORD_TIMES,
      playout: { ...PLAYOUT, pauses: [{ untilUs: 11_200_000, forUs: 500_000 }] },
    });
    expect(echoWindow('or perhaps', atEnd)).toEqual([10_900, 11_700]);
    const twice = [
      { untilUs: 11_000_000, forUs: 400_000 },
      { untilUs: 11_400_000, forUs: 500_000 },
    ];
    const pausedTwice = segmentOf({ words: WORD_TIMES, playout: { ...PLAYOUT, pauses: twice } });
    expect(echoWindow('or perhaps', pausedTwice)).toEqual([10_000, 10_800]);
  });

  it('is empty for an unplayed segment, for a single word and for other words', () => {
    expect(echoWindow('perhaps Tuesday', segmentOf({ playout: null }))).toEqual([]);
    expect(echoWindow('Tuesday', segmentOf())).toEqual([]);
    expect(echoWindow('Tuesday afternoon', segmentOf())).toEqual([]);
    expect(echoWindow('then what', segmentOf())).toEqual([]);
  });

  it('spans two segments', () => {
    const first = segmentOf({ text: 'Good day.', durationMs: 1_000, playout: { startedUs: 8_000_000, playedMs: 0 } });
    const second = segmentOf();
    expect(echoWindow('day Monday', first, second)).toEqual([8_157, 9_154]);
  });
});

describe('the current speech of the agent', () => {
  function contextDuring(interim: string | null, ...segments: readonly Segment[]): CallContext {
    const step = ruleStep();
    startReply(step, null);
    const { reply, userTurn } = step.context;
    if (reply === null) throw new Error('the agent speaks');
    const speech = speechOf(interim === null ? {} : { interim });
    return { ...step.context, reply: { ...reply, segments }, userTurn: { ...userTurn, speech } };
  }
  const first = segmentOf({ text: 'Good day to you.' });
  const second = segmentOf();
  const third = segmentOf({ text: 'Right?' });

  it('is repeated by words in its order; the last word of an interim text may be incomplete', () => {
    expect(repeatsCurrentSpeech(contextDuring(null, second), ['or', 'perhaps'])).toBe(true);
    expect(repeatsCurrentSpeech(contextDuring(null, second), ['or', 'tuesday'])).toBe(false);
    expect(repeatsCurrentSpeech(contextDuring(null, second), ['or', 'per'])).toBe(false);
    expect(repeatsCurrentSpeech(contextDuring('or per', second), ['or', 'per'])).toBe(true);
    expect(repeatsCurrentSpeech(contextDuring('o perhaps', second), ['o', 'perhaps'])).toBe(false);
    expect(repeatsCurrentSpeech(contextDuring('then wh', second), ['then', 'wh'])).toBe(false);
  });

  it('consists of the last two segments in playout, and is empty without a reply', () => {
    expect(repeatsCurrentSpeech(contextDuring(null, first, second), ['good', 'day'])).toBe(true);
    expect(repeatsCurrentSpeech(contextDuring(null, first, second, third), ['good', 'day'])).toBe(false);
    expect(
      repeatsCurrentSpeech(contextDuring(null, first, second, segmentOf({ playout: null })), ['good', 'day']),
    ).toBe(true);
    expect(repeatsCurrentSpeech(contextAfter(second), ['or', 'perhaps'])).toBe(false);
  });
});
