import { describe, expect, it } from 'vitest';
import type { FinishedReply } from '../../../engine/core/state/playout-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { isAnsweredAfterReply } from '../../../engine/interruption/answered-after-reply.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const END_MS = 10_000;
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
});
