import { describe, expect, it } from 'vitest';
import type { CallContext, Interruption, Reply, RunningTool, Segment } from '../../../engine/core/context.ts';
import { SILENT_CALLER } from '../../../engine/core/initial-context.ts';
import type { Step } from '../../../engine/core/step.ts';
import { sayStillBusy, stopBusy, watchBusy } from '../../../engine/fillers/tool-filler.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { GOODBYE, ordered, stepOf } from '../simulation/step-of.ts';

const BUSY = 'One moment please, I am still on it.';
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 1, item: 1 };
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Let me look that up.',
  orderedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  wire: null,
  ended: false,
};
const SOUND: Interruption = { verdict: 'open', startedUs: 0, stoppedUs: 0, wordsBefore: 0, playedMs: null };
const GENERATION = {
  number: 1,
  item: 1,
  stateIndex: 0,
  requestedUs: 0,
  firstTokenUs: null,
  calls: [],
  said: false,
  model: 'test model',
  retry: false,
  waits: false,
};
const AGAIN = { type: 'timer.start', timer: 'busy', delayMs: 10_000 };

/** A function that the reply asked for has run for ten seconds. */
function busy(context: Partial<CallContext> = {}, reply: Partial<Reply> = {}): Step {
  const asked = stepOf({ tools: [LOOKUP] });
  startReply(asked, null);
  addAgentItem(asked);
  changeReply(asked, reply);
  const step = stepOf({ ...asked.context, ...context }, 10_000);
  sayStillBusy(step);
  return step;
}

const said = (step: Step) => ordered(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('a function that still runs', () => {
  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['waits for the reply that asked for it', {}, {}],
    ['has heard what that reply said', {}, { segments: [{ ...SEGMENT, ended: true }] }],
    ['made a sound that was none', { interruption: { ...SOUND, verdict: 'over' } }, {}],
    ['waits for no reply any more', { reply: null, quiet: true }, {}],
  ])('is told of where the caller %s', (_what, context, reply) => {
    const step = busy(context, reply);
    expect(said(step)).toEqual([BUSY]);
    expect(ordered(step)).toContainEqual(AGAIN);
    expect(step.context.busySaid).toBe(1);
  });

  it.each<[string, Partial<CallContext>, Partial<Reply>]>([
    ['is to hear more of the reply', {}, { segments: [SEGMENT] }],
    ['is about to hear the model', {}, { generation: GENERATION }],
    ['speaks', { caller: { ...SILENT_CALLER, speaking: true } }, {}],
    ['has spoken', { caller: { ...SILENT_CALLER, finals: ['Hello?'] } }, {}],
    ['may be about to speak', { interruption: SOUND }, {}],
    ['has the call on hold', { heldUs: 0 }, {}],
    ['has the call on hold, and no reply is due', { reply: null, quiet: true, heldUs: 0 }, {}],
    ['has the floor', { reply: null, quiet: false }, {}],
    ['is being said goodbye to', {}, { after: GOODBYE }],
    ['is on a call that is to end', { ending: 'llm_error' }, {}],
  ])('is left for ten more seconds where the caller %s', (_what, context, reply) => {
    const step = busy(context, reply);
    expect(ordered(step)).toEqual([AGAIN]);
    expect(step.context.busySaid).toBe(0);
  });

  it('is told of three times and no more, and not once it has ended', () => {
    expect(said(busy({ busySaid: 2 }))).toEqual([BUSY]);
    expect(ordered(busy({ busySaid: 3 }))).toEqual([]);
    expect(ordered(busy({ tools: [] }))).toEqual([]);
  });

  it('is told of in the words of the reply that asked for it, or in words of their own', () => {
    const same = busy();
    expect(agentItem(same.context, 1)?.text).toBe(BUSY);
    const other = busy({ tools: [{ ...LOOKUP, utterance: 7 }] });
    expect([agentItem(other.context, 1)?.text, agentItem(other.context, 2)?.text]).toEqual(['', BUSY]);
  });
});

describe('how long functions run', () => {
  it('is counted anew from the last that began', () => {
    const step = stepOf({ busySaid: 3 });
    watchBusy(step);
    expect(ordered(step)).toEqual([AGAIN]);
    expect(step.context.busySaid).toBe(0);
  });

  it('is of no interest once the last of them has ended', () => {
    const ended = (tools: readonly RunningTool[]) => {
      const step = stepOf({ tools });
      stopBusy(step);
      return ordered(step);
    };
    expect(ended([LOOKUP])).toEqual([]);
    expect(ended([])).toEqual([{ type: 'timer.stop', timer: 'busy' }]);
  });
});
