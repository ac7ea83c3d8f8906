import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import type { SpokenWord } from '../../../engine/ports/voice.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { isAgentEcho, repeatsCurrentSpeech } from '../../../engine/turn-detection/echo.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';

/** 40 characters and four seconds: 100 ms a character. */
const TEXT = 'Monday, or perhaps Tuesday morning, then';
const WIRE = { startedUs: 10_000_000, playedMs: 0 };

function segmentOf(changed: Partial<Segment> = {}): Segment {
  return {
    number: 1,
    item: 1,
    text: TEXT,
    requestedUs: 9_000_000,
    voiceStartedUs: 9_500_000,
    durationMs: 4_000,
    words: [],
    playout: WIRE,
    ended: true,
    ...changed,
  };
}

function contextOf(...lastSaid: readonly Segment[]): CallContext {
  return { ...initialContext(agentWith({}), CALL_PARAMETERS), lastPlayedSegments: lastSaid };
}

/** The first and the last ms, of the call, at which the words' beginning makes them the agent's own; by 1 ms. */
function windowOf(text: string, ...segments: readonly Segment[]): readonly number[] {
  const context = contextOf(...segments);
  const all = Array.from({ length: 6_000 }, (_, ms) => 8_000 + ms);
  const own = all.filter((ms) => isAgentEcho(context, text, ms * 1000));
  return own.length === 0 ? [] : [own[0] ?? Number.NaN, own.at(-1) ?? Number.NaN];
}

/** Each word of `TEXT`, told by the voice: a second a word, from 0.2 s on. */
const TOLD: readonly SpokenWord[] = ['Monday', 'or', 'perhaps', 'Tuesday', 'morning', 'then'].map((text, index) => ({
  text,
  startMs: 200 + index * 1_000,
  endMs: 1_200 + index * 1_000,
}));

describe('when words of the agent’s can come back as an echo', () => {
  it('is from 300 ms before a word was played to 500 ms after it, where the voice told its time', () => {
    expect(windowOf('perhaps Tuesday', segmentOf({ words: TOLD }))).toEqual([11_900, 12_700]);
    expect(windowOf('Monday or', segmentOf({ words: TOLD }))).toEqual([9_900, 10_700]);
  });

  it('is as much wider as an estimated time can be off: nothing at the ends, a tenth of the segment in its middle', () => {
    expect(windowOf('Monday or', segmentOf())).toEqual([9_700, 10_500]);
    // «or» is at a fifth: 0.4 · 0.2 · 0.8 of 4 s are 256 ms.
    expect(windowOf('or perhaps', segmentOf())).toEqual([10_244, 11_556]);
    // «Tuesday» is at 19 of 40: 399 ms.
    expect(windowOf('Tuesday morning', segmentOf())).toEqual([11_201, 12_799]);
  });

  it('takes 70 ms a character where the voice has not told the segment’s length, and no times that are not one a word', () => {
    expect(windowOf('or perhaps', segmentOf({ durationMs: null }))).toEqual([10_081, 11_239]);
    expect(windowOf('or perhaps', segmentOf({ words: TOLD.slice(1) }))).toEqual([10_244, 11_556]);
  });

  it('is earlier by the pause for what was played before it', () => {
    const paused = { untilUs: 11_400_000, forUs: 500_000 };
    const segment = segmentOf({ words: TOLD, playout: { ...WIRE, paused } });
    expect(windowOf('or perhaps', segment)).toEqual([10_400, 11_200]);
    expect(windowOf('perhaps Tuesday', segment)).toEqual([11_900, 12_700]);
    // What is played from the pause's end on is played where it would have been.
    const atEnd = segmentOf({ words: TOLD, playout: { ...WIRE, paused: { untilUs: 11_200_000, forUs: 500_000 } } });
    expect(windowOf('or perhaps', atEnd)).toEqual([10_900, 11_700]);
  });

  it('is never of a segment that was not played, of a single word, or of other words', () => {
    expect(windowOf('perhaps Tuesday', segmentOf({ playout: null }))).toEqual([]);
    expect(windowOf('Tuesday', segmentOf())).toEqual([]);
    expect(windowOf('Tuesday afternoon', segmentOf())).toEqual([]);
    expect(windowOf('then what', segmentOf())).toEqual([]);
  });

  it('goes over from one segment to the next', () => {
    const first = segmentOf({ text: 'Good day.', durationMs: 1_000, playout: { startedUs: 8_000_000, playedMs: 0 } });
    const second = segmentOf();
    expect(windowOf('day Monday', first, second)).toEqual([8_157, 9_154]);
  });
});

describe('what is being spoken', () => {
  function speaking(interim: string | null, ...segments: readonly Segment[]): CallContext {
    const step = ruleStep();
    startReply(step, null);
    const { reply, userTurn } = step.context;
    if (reply === null) throw new Error('the agent speaks');
    const heard = interim === null ? null : { text: interim, endMs: 0 };
    return { ...step.context, reply: { ...reply, segments }, userTurn: { ...userTurn, interim: heard } };
  }
  const first = segmentOf({ text: 'Good day to you.' });
  const second = segmentOf();
  const third = segmentOf({ text: 'Right?' });

  it('is repeated by words in its order, the last of which may be a part while it can still change', () => {
    expect(repeatsCurrentSpeech(speaking(null, second), ['or', 'perhaps'])).toBe(true);
    expect(repeatsCurrentSpeech(speaking(null, second), ['or', 'tuesday'])).toBe(false);
    expect(repeatsCurrentSpeech(speaking(null, second), ['or', 'per'])).toBe(false);
    expect(repeatsCurrentSpeech(speaking('or per', second), ['or', 'per'])).toBe(true);
    expect(repeatsCurrentSpeech(speaking('o perhaps', second), ['o', 'perhaps'])).toBe(false);
    expect(repeatsCurrentSpeech(speaking('then wh', second), ['then', 'wh'])).toBe(false);
  });

  it('is the last two segments that are on the wire, and nothing where the agent says nothing', () => {
    expect(repeatsCurrentSpeech(speaking(null, first, second), ['good', 'day'])).toBe(true);
    expect(repeatsCurrentSpeech(speaking(null, first, second, third), ['good', 'day'])).toBe(false);
    expect(repeatsCurrentSpeech(speaking(null, first, second, segmentOf({ playout: null })), ['good', 'day'])).toBe(
      true,
    );
    expect(repeatsCurrentSpeech(contextOf(second), ['or', 'perhaps'])).toBe(false);
  });
});
