import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { isReplyAudible } from '../../../engine/core/reply-progress.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { FIRST_ATTEMPT } from '../../../engine/core/state/generation-slice.ts';
import type { FollowUp, Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { RunningTool } from '../../../engine/core/state/tools-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import {
  changeReply,
  endReasonAfterReply,
  finishReply,
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
import { speechOf } from '../simulation/speech.ts';

const NOW_MS = 10_000;
const SEGMENT: Segment = {
  number: 1,
  item: 1,
  text: 'Hello.',
  interruptible: true,
  requestedUs: 0,
  voiceStartedUs: null,
  durationMs: null,
  words: [],
  playout: null,
  ended: false,
};
const PLAYING: Segment = { ...SEGMENT, playout: { startedUs: 9_000_000, startMs: 0 } };
const ENDED: Segment = { ...PLAYING, ended: true };
const LOOKUP: RunningTool = { toolCallId: 'a', name: 'lookup', startedUs: 0, reply: 1, item: 1 };
const TRANSFER_REQUEST = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
const TRANSFER: FollowUp = { type: 'transfer', toolCallId: 'go', name: 'go', request: TRANSFER_REQUEST };
const FAILURE_TRANSFER: FollowUp = { type: 'failure_transfer', request: TRANSFER_REQUEST };

function stepWithReply(reply: Partial<Reply> = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({}, NOW_MS);
  startReply(step, null);
  addAgentItem(step);
  changeReply(step, reply);
  step.change(context);
  return step;
}

const spokenTexts = (step: RuleStep) =>
  issuedCommands(step).flatMap((command) => (command.type === 'voice.speak' ? [command.text] : []));

describe('speech of a reply', () => {
  it('is spoken sentence by sentence, in a new history item or in an existing one', () => {
    const step = stepWithReply();
    say(step, 'Hello there. How are you?');
    say(step, 'Go on.', 1);
    expect(spokenTexts(step)).toEqual(['Hello there.', 'How are you?', 'Go on.']);
    expect([agentItem(step.context, 2)?.text, agentItem(step.context, 1)?.text]).toEqual([
      'Hello there. How are you?',
      'Go on.',
    ]);
  });

  it('is split into sentences by the rules of the call’s language', () => {
    const step = ruleStep(initialContext(agentWith({ language: 'de' }), CALL_PARAMETERS));
    startReply(step, null);
    say(step, 'Am 3. Mai. Passt das?');
    expect(spokenTexts(step)).toEqual(['Am 3. Mai.', 'Passt das?']);
  });

  it.each([undefined, '', ' ', '{{unknown}}'])('is skipped when the text is empty after substitution: «%s»', (text) => {
    const step = stepWithReply();
    say(step, text);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.history).toHaveLength(1);
  });

  it('is skipped when the text contains nothing to pronounce', () => {
    const step = stepWithReply();
    speakSegment(step, 1, '👍 …');
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context.reply?.segments).toEqual([]);
    expect(agentItem(step.context, 1)?.text).toBe('');
  });

  it('enters the history once, even when another voice repeats it', () => {
    const step = stepWithReply();
    speakSegment(step, 1, 'One two.');
    speakSegment(step, 1, 'two.', { isInHistory: true });
    expect(spokenTexts(step)).toEqual(['One two.', 'two.']);
    expect(agentItem(step.context, 1)?.text).toBe('One two.');
    // The history item may have been dropped.
    speakSegment(step, 7, 'Three.');
    expect(spokenTexts(step)).toContain('Three.');
  });

  it('is ignored without a reply, as are a follow-up and a generation request', () => {
    const step = ruleStep();
    say(step, 'Hello.');
    speakSegment(step, 1, 'Hello.');
    setFollowUp(step, HANG_UP_AFTER_GOODBYE);
    requestGeneration(step);
    expect(issuedCommands(step)).toEqual([]);
    expect(step.context).toMatchObject({ reply: null, history: [] });
  });
});

describe('the follow-up of a reply', () => {
  it('is the first one set, and replaces a pending model request', () => {
    const step = stepWithReply({ requestPending: true });
    setFollowUp(step, HANG_UP_AFTER_GOODBYE);
    expect(step.context.reply).toMatchObject({ followUp: HANG_UP_AFTER_GOODBYE, requestPending: false });
    setFollowUp(step, TRANSFER);
    expect(step.context.reply?.followUp).toEqual(HANG_UP_AFTER_GOODBYE);
  });

  it('ends the call with the decided reason, otherwise with the model’s; a failure transfer precedes both', () => {
    expect(endReasonAfterReply(stepWithReply({ followUp: HANG_UP_AFTER_GOODBYE }).context)).toBe('agent_hangup');
    expect(
      endReasonAfterReply(stepWithReply({ followUp: HANG_UP_AFTER_GOODBYE }, { decidedEnd: 'voicemail_left' }).context),
    ).toBe('voicemail_left');
    expect(
      endReasonAfterReply(stepWithReply({ followUp: FAILURE_TRANSFER }, { decidedEnd: 'llm_error' }).context),
    ).toBeNull();
    expect(endReasonAfterReply(stepWithReply({ followUp: TRANSFER }).context)).toBeNull();
    expect(endReasonAfterReply(ruleStep({ decidedEnd: 'llm_error' }).context)).toBe('llm_error');
    expect(endReasonAfterReply(ruleStep().context)).toBeNull();
  });
});

describe('a reply', () => {
  it('is audible from its first played sample to its last', () => {
    const isAudibleWith = (...segments: readonly Segment[]) => isReplyAudible(stepWithReply({ segments }).context);
    expect(isAudibleWith()).toBe(false);
    expect(isAudibleWith(SEGMENT)).toBe(false);
    expect(isAudibleWith(PLAYING, SEGMENT)).toBe(true);
    expect(isAudibleWith(ENDED, SEGMENT)).toBe(false);
    expect(isAudibleWith(ENDED, PLAYING)).toBe(true);
    expect(isReplyAudible(ruleStep().context)).toBe(false);
  });

  const generation = {
    number: 1,
    item: 1,
    stateIndex: 0,
    requestedUs: 0,
    firstTokenUs: null,
    toolCalls: [],
    spoke: true,
    model: 'test model',
    attempts: FIRST_ATTEMPT,
    backingOff: false,
    hasEnded: false,
    failure: null,
  };

  it.each<[string, boolean, Partial<Reply>, Partial<CallContext>]>([
    ['nothing to say', true, {}, {}],
    ['all segments played', true, { segments: [ENDED, ENDED] }, {}],
    ['a segment playing', false, { segments: [ENDED, PLAYING] }, {}],
    ['a running generation', false, { segments: [ENDED], generation }, {}],
    ['a pending model request', false, { segments: [ENDED], requestPending: true }, {}],
    ['a running tool', false, { segments: [ENDED] }, { runningTools: [LOOKUP] }],
  ])('with %s is over: %s', (_condition, expected, reply, context) => {
    expect(isReplyOver(stepWithReply(reply, context).context)).toBe(expected);
  });

  it('ends or transfers the call once it was played, without waiting for tools', () => {
    const endsAndTransfers = (followUp: FollowUp, segments: readonly Segment[]) => {
      const { context } = stepWithReply({ followUp, segments }, { runningTools: [LOOKUP] });
      return [replyEndsCall(context), replyTransfers(context)];
    };
    expect(endsAndTransfers(LISTEN, [ENDED])).toEqual([false, false]);
    expect(endsAndTransfers(HANG_UP_AFTER_GOODBYE, [ENDED])).toEqual([true, false]);
    expect(endsAndTransfers(TRANSFER, [ENDED])).toEqual([false, true]);
    expect(endsAndTransfers(FAILURE_TRANSFER, [ENDED])).toEqual([false, true]);
    for (const followUp of [HANG_UP_AFTER_GOODBYE, TRANSFER, FAILURE_TRANSFER])
      expect(endsAndTransfers(followUp, [PLAYING])).toEqual([false, false]);
  });
});

describe('a reply that was played to its end', () => {
  function afterFinish(context: Partial<CallContext> = {}, reply: Partial<Reply> = { segments: [ENDED] }): RuleStep {
    const step = stepWithReply(reply, context);
    finishReply(step);
    return step;
  }
  const transcriptTexts = (step: RuleStep) =>
    issuedCommands(step).flatMap((command) =>
      command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
    );
  const speechWithoutWords = { ...SILENT_USER, startedUs: 2_000_000, endedUs: 3_000_000 };

  it('stops its watchdog, and keeps its segments to detect their echo', () => {
    const step = afterFinish();
    expect(step.context).toMatchObject({
      reply: null,
      interruption: null,
      lastDroppedReply: null,
      lastPlayedSegments: [ENDED],
    });
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'playout' });
    expect(afterFinish({ lastPlayedSegments: [PLAYING] }, { segments: [] }).context.lastPlayedSegments).toEqual([
      PLAYING,
    ]);
  });

  it('ends the call when that is its follow-up', () => {
    expect(afterFinish().raised).toEqual([]);
    expect(afterFinish({}, { followUp: HANG_UP_AFTER_GOODBYE }).raised).toEqual([
      { type: 'engine.end', reason: 'agent_hangup' },
    ]);
  });

  it('leaves the words that the user spoke over it to be answered', () => {
    const userTurn = { ...speechWithoutWords, speech: speechOf({ finals: ['At seven please.'] }) };
    const step = afterFinish({ userTurn });
    expect(step.context.userTurn).toEqual(userTurn);
    expect(transcriptTexts(step)).toEqual([]);
  });

  it('commits a backchannel of the user without answering it', () => {
    const { userTurn } = afterFinish({
      userTurn: { ...speechWithoutWords, speech: speechOf({ finals: ['Okay.'], finalEndMs: 3_000 }) },
    }).context;
    expect(userTurn).toMatchObject({ ...SILENT_USER, speech: { segments: [{ claims: [{ words: 1 }] }] } });
    expect(
      transcriptTexts(
        afterFinish({
          userTurn: { ...speechWithoutWords, speech: speechOf({ finals: ['Okay.'], finalEndMs: 3_000 }) },
        }),
      ),
    ).toEqual(['Okay.']);
  });

  it('discards a sound of the user without words', () => {
    const step = afterFinish({ userTurn: speechWithoutWords });
    expect(step.context.userTurn).toEqual(SILENT_USER);
    expect(transcriptTexts(step)).toEqual([]);
    // A sound that continues may become words.
    expect(afterFinish({ userTurn: { ...speechWithoutWords, speaking: true } }).context.userTurn.startedUs).toBe(
      2_000_000,
    );
  });
});
