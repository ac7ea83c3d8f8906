import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import { sayToolFiller, startToolFillerTimer, stopToolFillerTimer } from '../../../engine/fillers/tool-filler.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const BUSY = 'One moment please, I am still on it.';
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 1, item: 1 };
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Let me look that up.',
  requestedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};
const SOUND: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: 0, wordsBefore: 0, playedMs: null };
const GENERATION = {
  number: 1,
  item: 1,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  calls: [],
  spoke: false,
  model: 'test model',
  retry: false,
  backingOff: false,
};
const AGAIN = { type: 'timer.start', timer: 'tool_filler', delayMs: 10_000 };

/** A function that the reply asked for has run for ten seconds. */
function busy(context: Partial<CallContext> = {}, reply: Partial<Reply> = {}): RuleStep {
  const asked = ruleStep({ runningTools: [LOOKUP] });
  startReply(asked, null);
  addAgentItem(asked);
  changeReply(asked, reply);
  const step = ruleStep({ ...asked.context, ...context }, 10_000);
  sayToolFiller(step);
  return step;
}

const said = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('a function that still runs', () => {
  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['waits for the reply that asked for it', {}, {}],
    ['has heard what that reply said', {}, { segments: [{ ...SEGMENT, ended: true }] }],
    ['made a sound that was none', { interruption: { ...SOUND, status: 'resumed' } }, {}],
    ['waits for no reply any more', { reply: null, idle: true }, {}],
  ])('is told of where the user %s', (_what, context, reply) => {
    const step = busy(context, reply);
    expect(said(step)).toEqual([BUSY]);
    expect(issuedCommands(step)).toContainEqual(AGAIN);
    expect(step.context.toolFillersSaid).toBe(1);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['is to hear more of the reply', {}, { segments: [SEGMENT] }],
    ['is about to hear the model', {}, { generation: GENERATION }],
    ['speaks', { userTurn: { ...SILENT_USER, speaking: true } }, {}],
    ['has spoken', { userTurn: { ...SILENT_USER, finals: ['Hello?'] } }, {}],
    ['may be about to speak', { interruption: SOUND }, {}],
    ['has the call on hold', { haltedSinceUs: 0 }, {}],
    ['has the call on hold, and no reply is due', { reply: null, idle: true, haltedSinceUs: 0 }, {}],
    ['has the floor', { reply: null, idle: false }, {}],
    ['is being said goodbye to', {}, { followUp: HANG_UP_AFTER_GOODBYE }],
    ['is on a call that is to end', { decidedEnd: 'llm_error' }, {}],
  ])('is left for ten more seconds where the user %s', (_what, context, reply) => {
    const step = busy(context, reply);
    expect(issuedCommands(step)).toEqual([AGAIN]);
    expect(step.context.toolFillersSaid).toBe(0);
  });

  it('is told of three times and no more, and not once it has ended', () => {
    expect(said(busy({ toolFillersSaid: 2 }))).toEqual([BUSY]);
    expect(issuedCommands(busy({ toolFillersSaid: 3 }))).toEqual([]);
    expect(issuedCommands(busy({ runningTools: [] }))).toEqual([]);
  });

  it('is told of in the words of the reply that asked for it, or in words of their own', () => {
    const same = busy();
    expect(agentItem(same.context, 1)?.text).toBe(BUSY);
    const other = busy({ runningTools: [{ ...LOOKUP, utterance: 7 }] });
    expect([agentItem(other.context, 1)?.text, agentItem(other.context, 2)?.text]).toEqual(['', BUSY]);
  });
});

describe('how long functions run', () => {
  it('is counted again from the last that began', () => {
    const step = ruleStep({ toolFillersSaid: 3 });
    startToolFillerTimer(step);
    expect(issuedCommands(step)).toEqual([AGAIN]);
    expect(step.context.toolFillersSaid).toBe(0);
  });

  it('is of no interest once the last of them has ended', () => {
    const ended = (tools: readonly RunningTool[]) => {
      const step = ruleStep({ runningTools: tools });
      stopToolFillerTimer(step);
      return issuedCommands(step);
    };
    expect(ended([LOOKUP])).toEqual([]);
    expect(ended([])).toEqual([{ type: 'timer.stop', timer: 'tool_filler' }]);
  });
});
