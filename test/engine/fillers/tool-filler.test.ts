import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { FIRST_ATTEMPT } from '../../../engine/core/state/generation-slice.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { sayToolFiller, startToolFillerTimer, stopToolFillerTimer } from '../../../engine/fillers/tool-filler.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep, spokenTexts } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const FILLER = 'One moment please, I am still on it.';
const FILLER_INTERVAL_MS = 10_000;
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };
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
const TENTATIVE: Interruption = { status: 'tentative', startedUs: 0, stoppedUs: 0, wordsBefore: 0, playedMs: null };
const GENERATION = {
  number: 1,
  item: 1,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  toolCalls: [],
  spoke: false,
  model: 'test model',
  attempts: FIRST_ATTEMPT,
  backingOff: false,
};
const START_TIMER = { type: 'timer.start', timer: 'tool_filler', delayMs: FILLER_INTERVAL_MS };

/** The timer's step: a tool call of the reply has run for ten seconds. The changes apply just before the timer. */
function fillerStep(contextChanges: Partial<CallContext> = {}, replyChanges: Partial<Reply> = {}): RuleStep {
  const toolStep = ruleStep({ runningTools: [LOOKUP] });
  startReply(toolStep, null);
  addAgentItem(toolStep);
  changeReply(toolStep, replyChanges);
  const step = ruleStep({ ...toolStep.context, ...contextChanges }, FILLER_INTERVAL_MS);
  sayToolFiller(step);
  return step;
}

describe('tool filler of a running tool call', () => {
  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['while the reply waits for the result', {}, {}],
    ['after the segments of the reply have ended', {}, { segments: [{ ...SEGMENT, ended: true }] }],
    ['after a false interruption', { interruption: { ...TENTATIVE, status: 'resumed' } }, {}],
    ['after the reply has ended', { reply: null, idle: true }, {}],
  ])('comes %s', (_case, contextChanges, replyChanges) => {
    const step = fillerStep(contextChanges, replyChanges);
    expect(spokenTexts(step)).toEqual([FILLER]);
    expect(issuedCommands(step)).toContainEqual(START_TIMER);
    expect(step.context.toolFillersSaid).toBe(1);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['a segment of the reply is pending', {}, { segments: [SEGMENT] }],
    ['a generation runs', {}, { generation: GENERATION }],
    ['the user speaks', { userTurn: { ...SILENT_USER, speaking: true } }, {}],
    ['the user’s turn is open', { userTurn: { ...SILENT_USER, speech: speechOf({ finals: ['Hello?'] }) } }, {}],
    ['an interruption is tentative', { interruption: TENTATIVE }, {}],
    ['the call is on hold', { haltedSinceUs: 0 }, {}],
    ['the call is on hold without a reply', { reply: null, idle: true, haltedSinceUs: 0 }, {}],
    ['the turn belongs to the user', { reply: null, idle: false }, {}],
    ['the agent says goodbye', {}, { followUp: HANG_UP_AFTER_GOODBYE }],
    ['the end of the call is decided', { decidedEnd: 'llm_error' }, {}],
  ])('waits ten more seconds while %s', (_case, contextChanges, replyChanges) => {
    const step = fillerStep(contextChanges, replyChanges);
    expect(issuedCommands(step)).toEqual([START_TIMER]);
    expect(step.context.toolFillersSaid).toBe(0);
  });

  it('comes three times at most, and not after the tool call has ended', () => {
    expect(spokenTexts(fillerStep({ toolFillersSaid: 2 }))).toEqual([FILLER]);
    expect(issuedCommands(fillerStep({ toolFillersSaid: 3 }))).toEqual([]);
    expect(issuedCommands(fillerStep({ runningTools: [] }))).toEqual([]);
  });

  it('joins the agent turn of the reply that made the tool call, or becomes its own turn', () => {
    const inReply = fillerStep();
    expect(agentItem(inReply.context, 1)?.text).toBe(FILLER);
    const inLaterReply = fillerStep({ runningTools: [{ ...LOOKUP, reply: 7 }] });
    expect([agentItem(inLaterReply.context, 1)?.text, agentItem(inLaterReply.context, 2)?.text]).toEqual(['', FILLER]);
  });
});

describe('tool filler timer', () => {
  it('starts again with each tool call that begins', () => {
    const step = ruleStep({ toolFillersSaid: 3 });
    startToolFillerTimer(step);
    expect(issuedCommands(step)).toEqual([START_TIMER]);
    expect(step.context.toolFillersSaid).toBe(0);
  });

  it('stops when the last tool call has ended', () => {
    const stopCommands = (runningTools: readonly RunningTool[]) => {
      const step = ruleStep({ runningTools });
      stopToolFillerTimer(step);
      return issuedCommands(step);
    };
    expect(stopCommands([LOOKUP])).toEqual([]);
    expect(stopCommands([])).toEqual([{ type: 'timer.stop', timer: 'tool_filler' }]);
  });
});
