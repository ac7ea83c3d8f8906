import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { NOT_DETECTED } from '../../../engine/core/state/answering-machine-slice.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { sayThinkingFiller, startThinkingFillerTimer } from '../../../engine/fillers/thinking-filler.ts';
import { startGeneration } from '../../../engine/generation/generation.ts';
import { changeReply, requestGeneration, startReply } from '../../../engine/playout/reply.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const EXPECTED = { type: 'timer.start', timer: 'thinking_filler', delayMs: 3_000 };
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
const SOUND: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: 0, wordsBefore: 0, playedMs: null };

/** The model was asked as the user's turn was taken, and three seconds have gone by. */
function waiting(context: Partial<CallContext> = {}, reply: Partial<Reply> = {}): RuleStep {
  const asked = ruleStep();
  startReply(asked, null);
  requestGeneration(asked);
  startGeneration(asked);
  changeReply(asked, reply);
  const step = ruleStep({ ...asked.context, ...context }, 3_000, { type: 'timer', timer: 'thinking_filler' });
  sayThinkingFiller(step);
  return step;
}

const said = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));
const answeredBy = (type: NonNullable<CallContext['answeringMachine']['type']>) => ({
  answeringMachine: { ...NOT_DETECTED, type },
});

describe('a user who waits in silence for the model', () => {
  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['on any call', {}, {}],
    ['though a call screening answered', answeredBy('call_screening'), {}],
    ['though nobody knows who answered', answeredBy('unknown'), {}],
    ['once the agent has been heard', {}, { segments: [{ ...SEGMENT, ended: true }] }],
    ['after a sound that was none of theirs', { interruption: { ...SOUND, status: 'resumed' } }, {}],
  ])('is told to wait: %s', (_what, context, reply) => {
    expect(said(waiting(context, reply))).toEqual(['One moment, please.']);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['still hears the agent', {}, { segments: [{ ...SEGMENT, number: 8, ended: true }, SEGMENT] }],
    ['still speaks', { userTurn: { ...SILENT_USER, speaking: true } }, {}],
    ['has spoken', { userTurn: { ...SILENT_USER, finals: ['Hello?'] } }, {}],
    ['may be about to speak', { interruption: SOUND }, {}],
    ['has the call on hold', { haltedSinceUs: 0 }, {}],
    ['is being said goodbye to', {}, { followUp: HANG_UP_AFTER_GOODBYE }],
    ['is on a call that is to end', { decidedEnd: 'llm_error' }, {}],
  ])('is asked about again three seconds later where it is one who %s', (_what, context, reply) => {
    expect(issuedCommands(waiting(context, reply))).toEqual([EXPECTED]);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['is a menu', answeredBy('ivr'), {}],
    ['is a voicemail', answeredBy('voicemail'), {}],
    ['was told so already', {}, { thinkingFillerItem: 1 }],
    ['waits for no model', {}, { generation: null }],
    ['waits for no reply', { reply: null }, {}],
  ])('is told nothing, now or later, where it %s', (_what, context, reply) => {
    expect(issuedCommands(waiting(context, reply))).toEqual([]);
  });

  it('is told nothing, now or later, where the model has begun', () => {
    const { generation } = waiting().context.reply ?? {};
    if (generation == null) throw new Error('the model was not asked');
    expect(issuedCommands(waiting({}, { generation: { ...generation, firstTokenUs: 0 } }))).toEqual([]);
  });

  it('is told so once a reply, however often the model is asked in it', () => {
    const expected = (thinkingFillerItem: number | null): readonly unknown[] => {
      const step = ruleStep();
      startReply(step, null);
      changeReply(step, { thinkingFillerItem });
      startThinkingFillerTimer(step);
      return issuedCommands(step);
    };
    expect(expected(null)).toEqual([EXPECTED]);
    expect(expected(1)).toEqual([]);
    const nobody = ruleStep();
    startThinkingFillerTimer(nobody);
    expect(issuedCommands(nobody)).toEqual([]);
  });
});
