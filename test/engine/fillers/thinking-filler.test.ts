import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { NOT_DETECTED } from '../../../engine/core/state/answering-machine-slice.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { sayThinkingFiller, startThinkingFillerTimer } from '../../../engine/fillers/thinking-filler.ts';
import { startGeneration } from '../../../engine/generation/generation.ts';
import { changeReply, requestGeneration, startReply } from '../../../engine/playout/reply.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const FILLER_DELAY_MS = 3_000;
const START_TIMER = { type: 'timer.start', timer: 'thinking_filler', delayMs: FILLER_DELAY_MS };
const SEGMENT: Segment = {
  number: 9,
  item: 1,
  text: 'We have a table.',
  requestedUs: 0,
  voiceStartedUs: 0,
  durationMs: 800,
  words: [],
  playout: { startedUs: 0, playedMs: 0 },
  ended: false,
};
const TENTATIVE: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: 0, wordsBefore: 0, playedMs: null };

/** The timer's step: the model was asked at 0 and has not responded. The changes apply just before the timer. */
function fillerStep(contextChanges: Partial<CallContext> = {}, replyChanges: Partial<Reply> = {}): RuleStep {
  const requestStep = ruleStep();
  startReply(requestStep, null);
  requestGeneration(requestStep);
  startGeneration(requestStep);
  changeReply(requestStep, replyChanges);
  const context = { ...requestStep.context, ...contextChanges };
  const step = ruleStep(context, FILLER_DELAY_MS, { type: 'timer', timer: 'thinking_filler' });
  sayThinkingFiller(step);
  return step;
}

const answeredBy = (type: NonNullable<CallContext['answeringMachine']['type']>) => ({
  answeringMachine: { ...NOT_DETECTED, type },
});

describe('thinking filler', () => {
  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['after three seconds without a response', {}, {}],
    ['when a call screening answered', answeredBy('call_screening'), {}],
    ['when the answer type is unknown', answeredBy('unknown'), {}],
    ['after the agent has finished a segment', {}, { segments: [{ ...SEGMENT, ended: true }] }],
    ['after a false interruption', { interruption: { ...TENTATIVE, status: 'resumed' } }, {}],
  ])('comes %s', (_case, contextChanges, replyChanges) => {
    expect(spokenTexts(fillerStep(contextChanges, replyChanges))).toEqual(['One moment, please.']);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['the agent speaks', {}, { segments: [{ ...SEGMENT, number: 8, ended: true }, SEGMENT] }],
    ['the user speaks', { userTurn: { ...SILENT_USER, speaking: true } }, {}],
    ['the user’s turn is open', { userTurn: { ...SILENT_USER, speech: speechOf({ finals: ['Hello?'] }) } }, {}],
    ['an interruption is tentative', { interruption: TENTATIVE }, {}],
    ['the call is on hold', { haltedSinceUs: 0 }, {}],
    ['the agent says goodbye', {}, { followUp: HANG_UP_AFTER_GOODBYE }],
    ['the end of the call is decided', { decidedEnd: 'llm_error' }, {}],
  ])('waits three more seconds while %s', (_case, contextChanges, replyChanges) => {
    expect(issuedCommands(fillerStep(contextChanges, replyChanges))).toEqual([START_TIMER]);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['a menu answered', answeredBy('ivr'), {}],
    ['a voicemail answered', answeredBy('voicemail'), {}],
    ['it was spoken before in this reply', {}, { thinkingFillerItem: 1 }],
    ['no generation runs', {}, { generation: null }],
    ['there is no reply', { reply: null }, {}],
  ])('does not come when %s', (_case, contextChanges, replyChanges) => {
    expect(issuedCommands(fillerStep(contextChanges, replyChanges))).toEqual([]);
  });

  it('does not come when the model has begun to respond', () => {
    const { generation } = fillerStep().context.reply ?? {};
    if (generation == null) throw new Error('the model was not asked');
    expect(issuedCommands(fillerStep({}, { generation: { ...generation, firstTokenUs: 0 } }))).toEqual([]);
  });

  it('has one timer in each reply, even if the model is asked several times', () => {
    const timerCommands = (thinkingFillerItem: number | null): readonly unknown[] => {
      const step = ruleStep();
      startReply(step, null);
      changeReply(step, { thinkingFillerItem });
      startThinkingFillerTimer(step);
      return issuedCommands(step);
    };
    expect(timerCommands(null)).toEqual([START_TIMER]);
    expect(timerCommands(1)).toEqual([]);
    const withoutReply = ruleStep();
    startThinkingFillerTimer(withoutReply);
    expect(issuedCommands(withoutReply)).toEqual([]);
  });
});
