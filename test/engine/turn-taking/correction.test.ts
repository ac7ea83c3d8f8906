import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { PendingTurn, Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { isCorrectionDue } from '../../../engine/turn-taking/correction.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const CORRECTIONS = [{ item: 1, words: 'I want no table' }];
const STARTED = { startedUs: 0, startMs: 0 };

function segment(text: string, changes: Partial<Segment> = {}): Segment {
  return {
    number: 1,
    item: 2,
    text,
    interruptible: true,
    requestedUs: 0,
    voiceStartedUs: 0,
    durationMs: null,
    words: [],
    playout: null,
    ended: false,
    ...changes,
  };
}
const played = (text: string) => segment(text, { playout: STARTED, ended: true });
const playing = (text: string) => segment(text, { playout: STARTED });

/** The model's answer is wrong for what the user said, as it is known now. */
function isDue(reply: Partial<Reply> | null, changes: Partial<CallContext> = {}, interruptible = true): boolean {
  const step = ruleStep({ corrections: CORRECTIONS });
  if (reply !== null) {
    startReply(step, null, interruptible);
    changeReply(step, { modelRequests: 1, ...reply });
  }
  step.change(changes);
  return isCorrectionDue(step.context);
}

describe('the correction of a wrong answer', () => {
  it('comes at once while the agent says nothing', () => {
    expect(isDue(null)).toBe(true);
    expect(isDue({})).toBe(true);
    expect(isDue(null, { corrections: [] })).toBe(false);
    expect(isDue({}, { corrections: [] })).toBe(false);
  });

  it('does not come once the end of the call is decided', () => {
    expect(isDue(null, { decidedEnd: 'agent_hangup' })).toBe(false);
    expect(isDue({}, { decidedEnd: 'agent_hangup' })).toBe(false);
  });

  it('comes between two sentences, not within one', () => {
    expect(isDue({ segments: [played('Yes.'), segment('At ten.')] })).toBe(true);
    expect(isDue({ segments: [playing('Yes.'), segment('At ten.')] })).toBe(false);
    expect(isDue({ segments: [played('Yes,'), segment('at ten.')] })).toBe(false);
    expect(isDue({ segments: [segment('Yes.')] })).toBe(true);
  });

  it.each([
    'Yes!',
    'Yes?',
    'Yes…',
    '好。',
    '好！',
    '好？',
    '«Yes.»',
    '“Yes.”',
    '(Yes.)',
    "'Yes.'",
    '„Ja.“',
    '»Ja.«',
    '‚Ja.‘',
    'はい。」',
    '[Yes.]',
  ])('comes after the sentence %s', (text) => {
    expect(isDue({ segments: [played(text), segment('At ten.')] })).toBe(true);
  });

  it.each(['Yes. At', 'At 10.30 h', 'Yes.:'])('does not come after %s', (text) => {
    expect(isDue({ segments: [played(text), segment('ten.')] })).toBe(false);
  });

  it('comes after the last part of the answer, whatever it ends with', () => {
    expect(isDue({ segments: [played('Yes'), played('at ten')] })).toBe(true);
  });

  it('waits for speech that is heard to its end', () => {
    const uninterruptible = { interruptible: false };
    expect(isDue({}, {}, false)).toBe(false);
    expect(isDue({ segments: [played('Yes.'), segment('At ten.', uninterruptible)] })).toBe(false);
    expect(isDue({ segments: [{ ...played('Yes.'), ...uninterruptible }, segment('At ten.')] })).toBe(true);
  });

  it('waits for speech that is not the model’s, and for the answer to a pending turn', () => {
    const pending: PendingTurn = {
      phase: 'ended',
      text: 'I want a table',
      item: 1,
      request: null,
      endedUs: 0,
      wasResponsePending: false,
    };
    expect(isDue({ modelRequests: 0 })).toBe(false);
    expect(isDue({ pending })).toBe(false);
  });

  it('waits for an answer that more words must not cancel again', () => {
    const answersUntilHeard = 2;
    expect(isDue({}, { unheardAnswers: answersUntilHeard })).toBe(false);
    expect(isDue({}, { unheardAnswers: answersUntilHeard - 1 })).toBe(true);
    expect(isDue(null, { unheardAnswers: answersUntilHeard })).toBe(true);
  });
});
