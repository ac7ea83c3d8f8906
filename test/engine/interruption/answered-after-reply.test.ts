import { describe, expect, it } from 'vitest';
import type { FinishedReply, KeptText, Segment } from '../../../engine/core/state/playout-slice.ts';
import { type CommittedTurn, SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { finishedReply, isAnsweredAfterReply } from '../../../engine/interruption/answered-after-reply.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const END_MS = 10_000;
/** A backchannel that ends within this time before the agent's end is an answer. */
const LATE_ANSWER_MS = 1_500;
/** A backchannel that begins within this time after a question answers it. */
const QUESTION_ANSWER_MS_MAX = 2_500;
/** Nothing of the reply was heard. */
const SILENT_REPLY = { lastStartedUs: null, heardUntilUs: null, isGreeting: false, questions: [] };

describe('user turn over the agent’s speech', () => {
  const getsResponse = (text: string, finalEndMs: number, reply: Partial<FinishedReply> = {}) => {
    const speech = speechOf({ finals: text === '' ? [] : [text], finalEndMs });
    const lastFinishedReply = { ...SILENT_REPLY, endedUs: END_MS * 1000, ...reply };
    const known = { userTurn: { ...SILENT_USER, speech } };
    const during = isAnsweredAfterReply(ruleStep(known, END_MS));
    return [during, isAnsweredAfterReply(ruleStep({ ...known, lastFinishedReply }, END_MS + 3_000))];
  };

  it('gets a response afterwards, unless it is a backchannel', () => {
    expect(getsResponse('At seven', 2_000)).toEqual([true, true]);
    expect(getsResponse('Okay', 2_000)).toEqual([false, false]);
    expect(getsResponse('', 10_000)).toEqual([false, false]);
  });

  it('gets a response even if it is a backchannel, within 1.5 s before the agent’s end', () => {
    expect(getsResponse('Okay', 8_500)).toEqual([true, true]);
    expect(getsResponse('Okay', 8_499)).toEqual([false, false]);
  });

  it('gets none if it is «Hello?» and the agent was heard after it', () => {
    expect(getsResponse('Hello?', 5_000, { lastStartedUs: 5_000_001 })[1]).toBe(false);
    expect(getsResponse('Hello?', 5_000, { lastStartedUs: 5_000_000 })[1]).toBe(true);
  });

  it('gets none if it is «Hello?» and the agent spoke on for 1 s after it', () => {
    expect(getsResponse('Hello?', 5_000, { lastStartedUs: 0, heardUntilUs: 6_000_000 })[1]).toBe(false);
    expect(getsResponse('Hello?', 5_000, { lastStartedUs: 0, heardUntilUs: 5_999_999 })[1]).toBe(true);
  });

  it.each([
    ['Hello, good evening.', false],
    ['Good morning, please stop.', true],
    ['I have a question.', true],
  ])('gets a response to «%s» over a greeting: %s', (text, isAnswered) => {
    expect(getsResponse(text, 5_000, { heardUntilUs: 7_000_000, isGreeting: true })[1]).toBe(isAnswered);
    expect(getsResponse(text, 5_000, { heardUntilUs: 7_000_000 })[1]).toBe(true);
  });

  it('is judged by the reply over which it began, when the next one ends too', () => {
    const speech = speechOf({ finals: ['Okay'], finalEndMs: 2_000 });
    const duringNext = (endedUs: number) => {
      const lastFinishedReply = { ...SILENT_REPLY, endedUs };
      const step = ruleStep({ userTurn: { ...SILENT_USER, speech }, lastFinishedReply }, END_MS);
      startReply(step, null);
      return isAnsweredAfterReply(step);
    };
    expect(duringNext(3_500_000)).toBe(true);
    expect(duringNext(3_500_001)).toBe(false);
  });

  it.each(['Um', 'Thank you', 'Let me see, please'])(
    'gets none if it is «%s» and another sentence followed',
    (text) => {
      expect(getsResponse(text, 5_000, { lastStartedUs: 5_000_001 })[1]).toBe(false);
      expect(getsResponse(text, 5_000, { lastStartedUs: 5_000_000 })[1]).toBe(true);
    },
  );

  it('gets a response although another sentence followed, if it asks for something', () => {
    expect(getsResponse('At seven', 5_000, { lastStartedUs: 5_000_001 })[1]).toBe(true);
  });

  it('gets a response if a sound after it may be the rest of a late answer', () => {
    const speech = speechOf({ finals: ['Okay'], finalEndMs: 2_000 });
    const untilUs = (END_MS - LATE_ANSWER_MS) * 1000;
    const endedAt = (endedUs: number) =>
      isAnsweredAfterReply(ruleStep({ userTurn: { ...SILENT_USER, speech, endedUs } }, END_MS));
    expect(endedAt(untilUs)).toBe(true);
    expect(endedAt(untilUs - 1)).toBe(false);
  });
});

describe('an answer to a question of the agent, over what it said then', () => {
  const QUESTION = { startedUs: 3_000_000, endedUs: 4_000_000 };
  const isAnswer = (text: string, startMs: number, isEarlier = false, turn: CommittedTurn | null = null) => {
    const [segment] = speechOf({ finals: [text], finalEndMs: startMs + 300 }).segments;
    const speech = { ...speechOf({}), segments: segment === undefined ? [] : [{ ...segment, startMs }] };
    const asked = { ...SILENT_REPLY, lastStartedUs: 8_000_000, heardUntilUs: END_MS * 1000, questions: [QUESTION] };
    const lastFinishedReply = { ...asked, endedUs: isEarlier ? QUESTION.endedUs : END_MS * 1000 };
    const step = ruleStep({ userTurn: { ...SILENT_USER, speech }, lastFinishedReply }, END_MS + 5_000);
    if (isEarlier) startReply(step, turn);
    return isAnsweredAfterReply(step);
  };

  it.each(['Yes', 'Yes, please'])(
    'gets a response if it begins during the question or 2.5 s after it: «%s»',
    (text) => {
      for (const [startMs, isAnswered] of [
        [2_999, false],
        [3_000, true],
        [4_000 + QUESTION_ANSWER_MS_MAX, true],
        [4_001 + QUESTION_ANSWER_MS_MAX, false],
      ] as const)
        expect(isAnswer(text, startMs)).toBe(isAnswered);
    },
  );

  it('is no hesitation and no thanks', () => {
    expect(isAnswer('Um', 4_000)).toBe(false);
    expect(isAnswer('Thank you', 4_000)).toBe(false);
  });

  it('gets a response over the next reply of the agent too, unless that one answers a turn of the user', () => {
    expect(isAnswer('Yes', 4_500, true)).toBe(true);
    expect(isAnswer('Yes', 4_001 + QUESTION_ANSWER_MS_MAX, true)).toBe(false);
    expect(isAnswer('Yes', 4_500, true, { number: 1, speechEndedUs: 4_200_000, endedUs: 4_400_000 })).toBe(false);
  });
});

describe('the reply as if it ended now', () => {
  const NOW_MS = 9_000;
  const segmentOf = (number: number, text: string, startedMs: number | null, durationMs: number | null): Segment => ({
    number,
    item: 1,
    text,
    interruptible: true,
    requestedUs: 0,
    voiceStartedUs: 0,
    durationMs,
    words: [],
    playout: startedMs === null ? null : { startedUs: startedMs * 1000, startMs: 0 },
    ended: false,
  });
  const finished = (...segments: readonly Segment[]) => {
    const step = ruleStep({}, NOW_MS);
    startReply(step, null);
    changeReply(step, { segments });
    return finishedReply(step);
  };

  it('has said nothing without a segment that was heard', () => {
    const nothing = { ...SILENT_REPLY, endedUs: NOW_MS * 1000 };
    expect(finished()).toEqual(nothing);
    expect(finished(segmentOf(1, 'Really?', null, 1_000))).toEqual(nothing);
    expect(finishedReply(ruleStep({}, NOW_MS))).toEqual(nothing);
  });

  it('was heard until the end of its last segment, or until now', () => {
    const first = segmentOf(1, 'I see.', 1_000, 2_000);
    const heard = (durationMs: number | null) => finished(first, segmentOf(2, 'Fine.', 4_000, durationMs));
    expect(heard(2_000)).toMatchObject({ lastStartedUs: 4_000_000, heardUntilUs: 6_000_000 });
    expect(heard(8_000)).toMatchObject({ lastStartedUs: 4_000_000, heardUntilUs: NOW_MS * 1000 });
    expect(heard(null)).toMatchObject({ lastStartedUs: 4_000_000, heardUntilUs: NOW_MS * 1000 });
  });

  it.each(['Is that right?', 'Is that right? ', 'よろしいですか？'])(
    'has asked the sentence with a question mark: «%s»',
    (text) => {
      const { questions } = finished(
        segmentOf(1, 'I see.', 1_000, 1_000),
        segmentOf(2, text, 2_000, 1_500),
        segmentOf(3, 'Or what?', 4_000, null),
      );
      expect(questions).toEqual([{ startedUs: 2_000_000, endedUs: 3_500_000 }]);
    },
  );

  it('is a greeting only if it says the initial message', () => {
    const isGreeting = (...texts: readonly KeptText['text'][]) => {
      const step = ruleStep({}, NOW_MS);
      startReply(step, null);
      changeReply(step, { keptTexts: texts.map((text, item) => ({ item, text })) });
      return finishedReply(step).isGreeting;
    };
    expect(isGreeting()).toBe(false);
    expect(isGreeting('announcement')).toBe(false);
    expect(isGreeting('announcement', 'initial_message')).toBe(true);
  });
});
