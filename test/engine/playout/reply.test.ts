import { describe, expect, it } from 'vitest';
import type { AfterReply, CallContext, Reply, RunningTool, Segment } from '../../../engine/core/context.ts';
import { initialContext, SILENT_CALLER } from '../../../engine/core/initial-context.ts';
import type { Step } from '../../../engine/core/step.ts';
import {
  afterwards,
  askNext,
  changeReply,
  finishReply,
  isAudible,
  isReplyOver,
  LISTEN,
  orderedEnd,
  replyEndsCall,
  replyTransfers,
  say,
  speak,
  startReply,
} from '../../../engine/playout/reply.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { agentOf, FACTS } from '../simulation/simulate.ts';
import { GOODBYE, ordered, stepOf } from '../simulation/step-of.ts';

const NOW_MS = 10_000;
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Hello.',
  orderedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  wire: null,
  ended: false,
};
const PLAYING: Segment = { ...SEGMENT, wire: { startedUs: 9_000_000, playedMs: 0 } };
const ENDED: Segment = { ...PLAYING, ended: true };
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 1, item: 1 };
const ORDER = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
const TRANSFER: AfterReply = { type: 'transfer', toolCallId: 'go', name: 'go', order: ORDER };
const RESCUE: AfterReply = { type: 'rescue', order: ORDER };

function replying(reply: Partial<Reply> = {}, context: Partial<CallContext> = {}): Step {
  const step = stepOf({}, NOW_MS);
  startReply(step, null);
  addAgentItem(step);
  changeReply(step, reply);
  step.change(context);
  return step;
}

const spoken = (step: Step) =>
  ordered(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('what is said', () => {
  it('is spoken sentence by sentence, in an item of its own or in one that there is', () => {
    const step = replying();
    say(step, 'Hello there. How are you?');
    say(step, 'Go on.', 1);
    expect(spoken(step)).toEqual(['Hello there.', 'How are you?', 'Go on.']);
    expect([agentItem(step.context, 2)?.text, agentItem(step.context, 1)?.text]).toEqual([
      'Hello there. How are you?',
      'Go on.',
    ]);
  });

  it('is cut as the language of the call is', () => {
    const step = stepOf(initialContext(agentOf({ language: 'de' }), FACTS));
    startReply(step, null);
    say(step, 'Am 3. Mai. Passt das?');
    expect(spoken(step)).toEqual(['Am 3. Mai.', 'Passt das?']);
  });

  it.each([undefined, '', ' ', '{{unknown}}'])('is nothing where the text comes to nothing: %s', (text) => {
    const step = replying();
    say(step, text);
    expect(ordered(step)).toEqual([]);
    expect(step.context.history).toHaveLength(1);
  });

  it('is nothing where it has no sound', () => {
    const step = replying();
    speak(step, 1, '👍 …');
    expect(ordered(step)).toEqual([]);
    expect(step.context.reply?.segments).toEqual([]);
    expect(agentItem(step.context, 1)?.text).toBe('');
  });

  it('stands in the history once, though it is given to another voice', () => {
    const step = replying();
    speak(step, 1, 'One two.');
    speak(step, 1, 'two.', true);
    expect(spoken(step)).toEqual(['One two.', 'two.']);
    expect(agentItem(step.context, 1)?.text).toBe('One two.');
    // Its place in the history may be gone.
    speak(step, 7, 'Three.');
    expect(spoken(step)).toContain('Three.');
  });

  it('is nothing where no reply goes on, and nothing is done or asked after it', () => {
    const step = stepOf();
    say(step, 'Hello.');
    speak(step, 1, 'Hello.');
    afterwards(step, GOODBYE);
    askNext(step);
    expect(ordered(step)).toEqual([]);
    expect(step.context).toMatchObject({ reply: null, history: [] });
  });
});

describe('what is done after a reply', () => {
  it('is what was ordered first, and the model is not asked for more', () => {
    const step = replying({ asking: true });
    afterwards(step, GOODBYE);
    expect(step.context.reply).toMatchObject({ after: GOODBYE, asking: false });
    afterwards(step, TRANSFER);
    expect(step.context.reply?.after).toEqual(GOODBYE);
  });

  it('ends the call for the reason of the call itself, or else for that of the model; a rescue comes before both', () => {
    expect(orderedEnd(replying({ after: GOODBYE }).context)).toBe('agent_hangup');
    expect(orderedEnd(replying({ after: GOODBYE }, { ending: 'voicemail_left' }).context)).toBe('voicemail_left');
    expect(orderedEnd(replying({ after: RESCUE }, { ending: 'llm_error' }).context)).toBeNull();
    expect(orderedEnd(replying({ after: TRANSFER }).context)).toBeNull();
    expect(orderedEnd(stepOf({ ending: 'llm_error' }).context)).toBe('llm_error');
    expect(orderedEnd(stepOf().context)).toBeNull();
  });
});

describe('a reply', () => {
  it('is audible from its first sample on the wire until the end of its last', () => {
    const heard = (...segments: readonly Segment[]) => isAudible(replying({ segments }).context);
    expect(heard()).toBe(false);
    expect(heard(SEGMENT)).toBe(false);
    expect(heard(PLAYING, SEGMENT)).toBe(true);
    expect(heard(ENDED, SEGMENT)).toBe(false);
    expect(heard(ENDED, PLAYING)).toBe(true);
    expect(isAudible(stepOf().context)).toBe(false);
  });

  const generation = {
    number: 1,
    item: 1,
    stateIndex: 0,
    requestedUs: 0,
    firstTokenUs: null,
    calls: [],
    said: true,
    model: 'test model',
    retry: false,
    waits: false,
  };

  it.each<[string, boolean, Partial<Reply>, Partial<CallContext>]>([
    ['has nothing to say', true, {}, {}],
    ['was heard', true, { segments: [ENDED, ENDED] }, {}],
    ['is being heard', false, { segments: [ENDED, PLAYING] }, {}],
    ['is still generated', false, { segments: [ENDED], generation }, {}],
    ['is to be gone on with', false, { segments: [ENDED], asking: true }, {}],
    ['waits for a function', false, { segments: [ENDED] }, { tools: [LOOKUP] }],
  ])('that %s is over: %s', (_what, over, reply, context) => {
    expect(isReplyOver(replying(reply, context).context)).toBe(over);
  });

  it('ends the call, or hands it over, once it was heard; no function is waited for then', () => {
    const outcome = (after: AfterReply, segments: readonly Segment[]) => {
      const { context } = replying({ after, segments }, { tools: [LOOKUP] });
      return [replyEndsCall(context), replyTransfers(context)];
    };
    expect(outcome(LISTEN, [ENDED])).toEqual([false, false]);
    expect(outcome(GOODBYE, [ENDED])).toEqual([true, false]);
    expect(outcome(TRANSFER, [ENDED])).toEqual([false, true]);
    expect(outcome(RESCUE, [ENDED])).toEqual([false, true]);
    for (const after of [GOODBYE, TRANSFER, RESCUE]) expect(outcome(after, [PLAYING])).toEqual([false, false]);
  });
});

describe('a reply that was heard to its end', () => {
  function finished(context: Partial<CallContext> = {}, reply: Partial<Reply> = { segments: [ENDED] }): Step {
    const step = replying(reply, context);
    finishReply(step);
    return step;
  }
  const lines = (step: Step) =>
    ordered(step).flatMap((command) =>
      command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
    );
  const said = { ...SILENT_CALLER, startedUs: 2_000_000, endedUs: 3_000_000 };

  it('is watched no more, and its echo is still told', () => {
    const step = finished();
    expect(step.context).toMatchObject({ reply: null, interruption: null, lastCut: null, lastSaid: [ENDED] });
    expect(ordered(step)).toContainEqual({ type: 'timer.stop', timer: 'playout' });
    expect(finished({ lastSaid: [PLAYING] }, { segments: [] }).context.lastSaid).toEqual([PLAYING]);
  });

  it('ends the call where that was ordered', () => {
    expect(finished().raised).toEqual([]);
    expect(finished({}, { after: GOODBYE }).raised).toEqual([{ type: 'engine.end', reason: 'agent_hangup' }]);
  });

  it('leaves what the caller said over it to be answered', () => {
    const caller = { ...said, finals: ['At seven please.'] };
    const step = finished({ caller });
    expect(step.context.caller).toEqual(caller);
    expect(lines(step)).toEqual([]);
  });

  it('is followed by nothing where they only listened: that has its line, and what is still told of it is not new', () => {
    const { caller } = finished({ caller: { ...said, finals: ['Okay.'] } }).context;
    expect(caller).toEqual({ ...SILENT_CALLER, takenUntilMs: 3_000 });
    expect(lines(finished({ caller: { ...said, finals: ['Okay.'] } }))).toEqual(['Okay.']);
  });

  it('is followed by nothing where they made a sound without a word', () => {
    const step = finished({ caller: said });
    expect(step.context.caller).toEqual(SILENT_CALLER);
    expect(lines(step)).toEqual([]);
    // One that goes on may become words.
    expect(finished({ caller: { ...said, speaking: true } }).context.caller.startedUs).toBe(2_000_000);
  });
});
