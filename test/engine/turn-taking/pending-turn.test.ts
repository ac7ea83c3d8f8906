import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { PendingTurn, Reply } from '../../../engine/core/state/playout-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import {
  askWithToolResult,
  commitUnanswered,
  hasMoreWords,
  hasTypedEntryAfterRequest,
  isEndDecided,
  isReplyOutdated,
  lacksToolResult,
} from '../../../engine/turn-taking/pending-turn.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { HANG_UP_AFTER_GOODBYE, ruleStep } from '../simulation/rule-step.ts';

const ASKED = 'I want a table';
const NO_EVENT: CallEvent = { type: 'call.offered' };
const DIGITS = { type: 'digits' as const, digits: '1', startUs: 0, endUs: 0, activityEndedUs: null };

/** The model was asked about `ASKED`, and the user has said `said` by now. */
function asked(
  said: string,
  pending: Partial<PendingTurn> | null = {},
  reply: Partial<Reply> = {},
  changes: Partial<CallContext> = {},
): RuleStep {
  const step = ruleStep();
  const revision = { text: said, startMs: 0, endMs: 900, words: [], isFinal: true };
  const speech = revise(NO_SPEECH, revision, { activityStartMs: 0, wordErrorMs: 0 });
  step.change({ userTurn: { ...step.context.userTurn, speech } });
  startReply(step, null);
  const turn: PendingTurn = {
    phase: 'ended',
    text: ASKED,
    item: 5,
    request: null,
    endedUs: 0,
    wasResponsePending: false,
  };
  changeReply(step, { requestPending: true, ...reply, pending: pending === null ? null : { ...turn, ...pending } });
  step.change(changes);
  return step;
}
const isOutdated = (step: RuleStep, event: CallEvent = NO_EVENT) =>
  isReplyOutdated(step.context, { ...event, time: step.time });

describe('the answer to a pending turn', () => {
  it('is outdated by words that mean something, not by politeness', () => {
    expect(isOutdated(asked(ASKED))).toBe(false);
    expect(isOutdated(asked(`${ASKED}, please.`))).toBe(false);
    expect(isOutdated(asked(`${ASKED} on Monday`))).toBe(true);
  });

  it('that was asked ahead is outdated by any word', () => {
    expect(isOutdated(asked(`${ASKED}.`, { phase: 'ahead' }))).toBe(false);
    expect(isOutdated(asked(`${ASKED}, please.`, { phase: 'ahead' }))).toBe(true);
  });

  it('is outdated by digits, by the provider’s end that is taken back, and by another turn to correct', () => {
    const { dtmf } = ruleStep().context;
    expect(isOutdated(asked(ASKED, {}, {}, { dtmf: { ...dtmf, entries: [DIGITS] } }))).toBe(true);
    const turn = { type: 'transcriber.turn' as const, text: ASKED, startMs: 0, endMs: 900, words: [] };
    expect(isOutdated(asked(ASKED), { ...turn, phase: 'resumed' })).toBe(true);
    expect(isOutdated(asked(ASKED), { ...turn, phase: 'ended' })).toBe(false);
    expect(isOutdated(asked(ASKED, {}, {}, { corrections: [{ item: 1, words: 'no' }] }))).toBe(true);
  });

  it('is outdated if there is none, and not while a part of it is there', () => {
    const sentence = { item: 1, text: 'Yes.', isVoiced: false };
    expect(isOutdated(asked(ASKED, {}, { requestPending: false }))).toBe(true);
    expect(isOutdated(asked(ASKED, {}, { requestPending: false, withheldSentences: [sentence] }))).toBe(false);
  });

  it('is not that of a committed turn', () => {
    expect(isOutdated(asked('No.', null))).toBe(false);
    expect(hasMoreWords(asked('No.', null).context)).toBe(false);
  });

  it('is withdrawn for more words only once the turn has ended', () => {
    const more = `${ASKED} on Monday`;
    expect(hasMoreWords(asked(more).context)).toBe(true);
    expect(hasMoreWords(asked(ASKED).context)).toBe(false);
    expect(hasMoreWords(asked(more, { phase: 'withheld' }).context)).toBe(false);
    expect(hasMoreWords(asked(more, { phase: 'ahead' }).context)).toBe(false);
    expect(hasMoreWords(asked(ASKED, {}, {}, { corrections: [{ item: 1, words: 'no' }] }).context)).toBe(true);
  });

  it('is withdrawn for a typed entry only once the turn has ended', () => {
    const typed = (pending: Partial<PendingTurn> | null, entries = [DIGITS]) =>
      hasTypedEntryAfterRequest(asked(ASKED, pending, {}, { dtmf: { openEntry: null, entries } }).context);
    expect(typed({})).toBe(true);
    expect(typed({}, [])).toBe(false);
    expect(typed({ phase: 'ahead' })).toBe(false);
    expect(typed({ phase: 'withheld' })).toBe(false);
    expect(typed(null)).toBe(false);
  });

  it('is heard whatever the user says if the call ends after it', () => {
    expect(isEndDecided(asked(ASKED).context)).toBe(false);
    expect(isEndDecided(asked(ASKED, {}, { followUp: HANG_UP_AFTER_GOODBYE }).context)).toBe(true);
    expect(isEndDecided(asked(ASKED, {}, {}, { decidedEnd: 'agent_hangup' }).context)).toBe(true);
    expect(isEndDecided(asked(ASKED, null, { followUp: HANG_UP_AFTER_GOODBYE }).context)).toBe(false);
  });

  it('is left out if the turn is committed without it, except the text that the voice has already', () => {
    const step = asked(ASKED);
    const item = addAgentItem(step);
    const sentence = (text: string, isVoiced: boolean) => ({ item, text, isVoiced });
    changeReply(step, { withheldSentences: [sentence('One.', true), sentence('Two.', false)] });
    commitUnanswered(step);
    expect(step.context.reply?.withheldSentences).toEqual([]);
    expect(agentItem(step.context, item)?.text).toBe('One.');
    expect(step.context.reply?.pending).toBeNull();
  });
});

describe('the result of a tool that comes after the model was asked', () => {
  const RUNNING = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };
  const lacks = (pending: Partial<PendingTurn> | null, reply: Partial<Reply>, changes: Partial<CallContext> = {}) =>
    lacksToolResult(
      asked(ASKED, pending, { requestPending: false, ...reply }, { pendingResponse: true, ...changes }).context,
    );

  it('is missing in the answer to a turn that has ended', () => {
    expect(lacks({}, {})).toBe(true);
    expect(lacks({}, {}, { pendingResponse: false })).toBe(false);
    expect(lacks({ phase: 'ahead' }, {})).toBe(false);
    expect(lacks(null, {})).toBe(false);
    expect(lacksToolResult({ ...ruleStep().context, pendingResponse: true })).toBe(false);
  });

  it('is in an answer that is not requested yet, and awaits the other tools', () => {
    expect(lacks({}, { requestPending: true })).toBe(false);
    expect(lacks({}, {}, { runningTools: [RUNNING] })).toBe(false);
  });

  it('does not delay an answer that is overdue', () => {
    expect(lacks({}, {}, { unheardAnswers: 2 })).toBe(false);
  });

  it('is given to the model in another request, for the same end of the turn', () => {
    const step = asked(ASKED, { endedUs: 1_000_000 }, { requestPending: false }, { pendingResponse: true });
    const before = step.context.reply;
    askWithToolResult(step);
    const { reply } = step.context;
    expect(reply?.number).not.toBe(before?.number);
    expect(reply?.pending).toMatchObject({ phase: 'ended', endedUs: 1_000_000 });
  });
});
