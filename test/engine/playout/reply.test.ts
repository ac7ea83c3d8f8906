import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { FollowUp, Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import {
  changeReply,
  endReasonAfterReply,
  finishReply,
  isReplyAudible,
  isReplyOver,
  LISTEN,
  replyEndsCall,
  replyTransfers,
  requestGeneration,
  say,
  setFollowUp,
  speakSegment,
  startReply,
} from '../../../engine/playout/reply.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addAgentItem, agentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 10_000;
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Hello.',
  requestedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};
const PLAYING: Segment = { ...SEGMENT, playout: { startedUs: 9_000_000, playedMs: 0 } };
const ENDED: Segment = { ...PLAYING, ended: true };
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, utterance: 1, item: 1 };
const ORDER = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
const TRANSFER: FollowUp = { type: 'transfer', toolCallId: 'go', name: 'go', request: ORDER };
const RESCUE: FollowUp = { type: 'failure_transfer', request: ORDER };

function replying(reply: Partial<Reply> = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({}, NOW_MS);
  startReply(step, null);
  addAgentItem(step);
  changeReply(step, reply);
  step.change(context);
  return step;
}

const spoken = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

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
    const step = ruleStep(initialContext(agentWith({ language: 'de' }), CALL_PARAMETERS));
    startReply(step, null);
    say(step, 'Am 3. Mai. Passt das?');
    expect(spoken(step)).toEqual(['Am 3. Mai.', 'Passt das?']);
  });

  it.each([undefined, '', ' ', '{{unknown}}'])('is nothing where the text comes to nothing: %s', (text) => {
    const step = replying();
    say(step, text);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.history).toHaveLength(1);
  });

  it('is nothing where it has no sound', () => {
    const step = replying();
    speakSegment(step, 1, '👍 …');
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.reply?.segments).toEqual([]);
    expect(agentItem(step.context, 1)?.text).toBe('');
  });

  it('stands in the history once, though it is given to another voice', () => {
    const step = replying();
    speakSegment(step, 1, 'One two.');
    speakSegment(step, 1, 'two.', true);
    expect(spoken(step)).toEqual(['One two.', 'two.']);
    expect(agentItem(step.context, 1)?.text).toBe('One two.');
    // Its place in the history may be gone.
    speakSegment(step, 7, 'Three.');
    expect(spoken(step)).toContain('Three.');
  });

  it('is nothing where no reply goes on, and nothing is done or asked after it', () => {
    const step = ruleStep();
    say(step, 'Hello.');
    speakSegment(step, 1, 'Hello.');
    setFollowUp(step, HANG_UP_AFTER_GOODBYE);
    requestGeneration(step);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context).toMatchObject({ reply: null, history: [] });
  });
});

describe('what is done after a reply', () => {
  it('is what was ordered first, and the model is not asked for more', () => {
    const step = replying({ requestPending: true });
    setFollowUp(step, HANG_UP_AFTER_GOODBYE);
    expect(step.context.reply).toMatchObject({ followUp: HANG_UP_AFTER_GOODBYE, requestPending: false });
    setFollowUp(step, TRANSFER);
    expect(step.context.reply?.followUp).toEqual(HANG_UP_AFTER_GOODBYE);
  });

  it('ends the call for the reason of the call itself, or else for that of the model; a rescue comes before both', () => {
    expect(endReasonAfterReply(replying({ followUp: HANG_UP_AFTER_GOODBYE }).context)).toBe('agent_hangup');
    expect(
      endReasonAfterReply(replying({ followUp: HANG_UP_AFTER_GOODBYE }, { decidedEnd: 'voicemail_left' }).context),
    ).toBe('voicemail_left');
    expect(endReasonAfterReply(replying({ followUp: RESCUE }, { decidedEnd: 'llm_error' }).context)).toBeNull();
    expect(endReasonAfterReply(replying({ followUp: TRANSFER }).context)).toBeNull();
    expect(endReasonAfterReply(ruleStep({ decidedEnd: 'llm_error' }).context)).toBe('llm_error');
    expect(endReasonAfterReply(ruleStep().context)).toBeNull();
  });
});

describe('a reply', () => {
  it('is audible from its first sample on the wire until the end of its last', () => {
    const heard = (...segments: readonly Segment[]) => isReplyAudible(replying({ segments }).context);
    expect(heard()).toBe(false);
    expect(heard(SEGMENT)).toBe(false);
    expect(heard(PLAYING, SEGMENT)).toBe(true);
    expect(heard(ENDED, SEGMENT)).toBe(false);
    expect(heard(ENDED, PLAYING)).toBe(true);
    expect(isReplyAudible(ruleStep().context)).toBe(false);
  });

  const generation = {
    number: 1,
    item: 1,
    stateIndex: 0,
    requestedUs: 0,
    firstTokenUs: null,
    calls: [],
    spoke: true,
    model: 'test model',
    retry: false,
    backingOff: false,
  };

  it.each<[string, boolean, Partial<Reply>, Partial<CallContext>]>([
    ['has nothing to say', true, {}, {}],
    ['was heard', true, { segments: [ENDED, ENDED] }, {}],
    ['is being heard', false, { segments: [ENDED, PLAYING] }, {}],
    ['is still generated', false, { segments: [ENDED], generation }, {}],
    ['is to be gone on with', false, { segments: [ENDED], requestPending: true }, {}],
    ['waits for a function', false, { segments: [ENDED] }, { runningTools: [LOOKUP] }],
  ])('that %s is over: %s', (_what, over, reply, context) => {
    expect(isReplyOver(replying(reply, context).context)).toBe(over);
  });

  it('ends the call, or hands it over, once it was heard; no function is waited for then', () => {
    const outcome = (after: FollowUp, segments: readonly Segment[]) => {
      const { context } = replying({ followUp: after, segments }, { runningTools: [LOOKUP] });
      return [replyEndsCall(context), replyTransfers(context)];
    };
    expect(outcome(LISTEN, [ENDED])).toEqual([false, false]);
    expect(outcome(HANG_UP_AFTER_GOODBYE, [ENDED])).toEqual([true, false]);
    expect(outcome(TRANSFER, [ENDED])).toEqual([false, true]);
    expect(outcome(RESCUE, [ENDED])).toEqual([false, true]);
    for (const after of [HANG_UP_AFTER_GOODBYE, TRANSFER, RESCUE])
      expect(outcome(after, [PLAYING])).toEqual([false, false]);
  });
});

describe('a reply that was heard to its end', () => {
  function finished(context: Partial<CallContext> = {}, reply: Partial<Reply> = { segments: [ENDED] }): RuleStep {
    const step = replying(reply, context);
    finishReply(step);
    return step;
  }
  const lines = (step: RuleStep) =>
    issuedCommands(step).flatMap((command) =>
      command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
    );
  const said = { ...SILENT_USER, startedUs: 2_000_000, endedUs: 3_000_000 };

  it('is watched no more, and its echo is still told', () => {
    const step = finished();
    expect(step.context).toMatchObject({
      reply: null,
      interruption: null,
      lastDroppedReply: null,
      lastPlayedSegments: [ENDED],
    });
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'playout' });
    expect(finished({ lastPlayedSegments: [PLAYING] }, { segments: [] }).context.lastPlayedSegments).toEqual([PLAYING]);
  });

  it('ends the call where that was ordered', () => {
    expect(finished().raised).toEqual([]);
    expect(finished({}, { followUp: HANG_UP_AFTER_GOODBYE }).raised).toEqual([
      { type: 'engine.end', reason: 'agent_hangup' },
    ]);
  });

  it('leaves what the user said over it to be answered', () => {
    const caller = { ...said, finals: ['At seven please.'] };
    const step = finished({ userTurn: caller });
    expect(step.context.userTurn).toEqual(caller);
    expect(lines(step)).toEqual([]);
  });

  it('is followed by nothing where they only listened: that has its line, and what is still told of it is not new', () => {
    const { userTurn } = finished({ userTurn: { ...said, finals: ['Okay.'] } }).context;
    expect(userTurn).toEqual({ ...SILENT_USER, committedUntilMs: 3_000 });
    expect(lines(finished({ userTurn: { ...said, finals: ['Okay.'] } }))).toEqual(['Okay.']);
  });

  it('is followed by nothing where they made a sound without a word', () => {
    const step = finished({ userTurn: said });
    expect(step.context.userTurn).toEqual(SILENT_USER);
    expect(lines(step)).toEqual([]);
    // One that goes on may become words.
    expect(finished({ userTurn: { ...said, speaking: true } }).context.userTurn.startedUs).toBe(2_000_000);
  });
});
