import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { NO_FAILURES, type VoiceState } from '../../../engine/core/state/failover-slice.ts';
import { FIRST_ATTEMPT, type Generation } from '../../../engine/core/state/generation-slice.ts';
import type { FollowUp, PendingTurn, Reply } from '../../../engine/core/state/playout-slice.ts';
import { onVoiceFailure } from '../../../engine/failover/voice-failover.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith } from '../simulation/agent-with.ts';
import { issuedCommands, notices, ruleStep, spokenTexts } from '../simulation/rule-step.ts';

const NOW_MS = 5_000;
const SENTENCES = ['One is free.', 'Two is taken.'];
const REPEAT_REQUEST = ['I am sorry, I have lost the thread.', 'Could you say that again, please?'];
const APOLOGY = ['I am sorry, something went wrong on our side.', 'Please call again a little later.', 'Goodbye.'];
const REJECTED = { provider: 'test', code: 'unauthorized', message: 'no', retryable: false } as const;
const UNAVAILABLE = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const VOICE_TIMER: CallEvent = { type: 'timer', timer: 'voice' };
const failed = (
  segment: number,
  error: typeof REJECTED | typeof UNAVAILABLE = REJECTED,
  retryAfterMs = 0,
): CallEvent => ({
  type: 'voice.failed',
  segment,
  error: { ...error, retryAfterMs },
  durationMs: 0,
});
const GENERATION: Generation = {
  number: 7,
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
const AHEAD: PendingTurn = {
  phase: 'ahead',
  text: 'Which one?',
  item: 9,
  request: null,
  endedUs: null,
  wasResponsePending: false,
};
const TRANSFER: FollowUp = {
  type: 'transfer',
  toolCallId: 'call_1',
  name: 'go',
  request: { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 },
};

const voiceState = (voice: Partial<VoiceState>): Partial<CallContext> => ({
  failover: { ...NO_FAILURES, voice: { ...NO_FAILURES.voice, ...voice } },
});

/** The step after the event of the voice, which speaks the segments 1 and 2. */
function stepAfter(event: CallEvent, reply: Partial<Reply> = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = ruleStep({}, NOW_MS, event);
  startReply(step, null);
  const item = addAgentItem(step);
  for (const sentence of SENTENCES) speakSegment(step, item, sentence);
  changeReply(step, reply);
  step.change(context);
  step.commands.length = 0;
  onVoiceFailure(step);
  return step;
}

const RETRIED = { retriesUs: [0] };
const commandsOf = (step: RuleStep, type: string) => issuedCommands(step).filter((command) => command.type === type);

describe('a voice that fails for good', () => {
  it('ends the generation whose text it was to speak', () => {
    const step = stepAfter(failed(1), { generation: GENERATION, requestPending: true });
    expect(commandsOf(step, 'model.cancel')).toEqual([{ type: 'model.cancel', generation: 7 }]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'generation' });
    expect(step.context.reply).toMatchObject({ generation: null, requestPending: false });
    expect(commandsOf(stepAfter(failed(1)), 'model.cancel')).toEqual([]);
  });

  it('leaves in the history what it has spoken', () => {
    const playedText = (segment: number) => stepAfter(failed(segment)).context.history[0];
    expect(playedText(1)).toMatchObject({ playedText: '' });
    expect(playedText(2)).toMatchObject({ playedText: SENTENCES[0] });
  });

  it('leaves in the history of each answer only its own words', () => {
    const step = ruleStep({}, NOW_MS, failed(2));
    startReply(step, null);
    const items = SENTENCES.map((sentence) => {
      const item = addAgentItem(step);
      speakSegment(step, item, sentence);
      return item;
    });
    onVoiceFailure(step);
    const texts = step.context.history.filter(({ id }) => items.includes(id));
    expect(texts).toMatchObject([{ text: SENTENCES[0] }, { playedText: '' }]);
  });

  it('is asked for the apology on a new stream, and the next failure of that reply fails the call', () => {
    const first = stepAfter(failed(1));
    expect(spokenTexts(first)).toEqual(REPEAT_REQUEST);
    expect(commandsOf(first, 'voice.open')).toHaveLength(1);
    expect(first.context).toMatchObject({
      decidedEnd: null,
      failover: { voice: { index: 0, retriesUs: [NOW_MS * 1000] } },
    });
    const failedTurns = { reason: 'voice_error' as const, count: 1, reply: 1, atUs: 0 };
    const second = stepAfter(failed(1), {}, { failover: { ...NO_FAILURES, failedTurns } });
    expect(second.context.decidedEnd).toBe('voice_error');
    expect(spokenTexts(second)).toEqual(APOLOGY);
    const afterOther = (reply: number) =>
      stepAfter(
        failed(1),
        {},
        { failover: { ...NO_FAILURES, failedTurns: { ...failedTurns, reason: 'llm_error', reply } } },
      );
    expect(afterOther(1).context.decidedEnd).toBe('voice_error');
    expect(afterOther(9).context.decidedEnd).toBeNull();
  });

  it('ends the call without a voicemail if the message for it was not spoken', () => {
    const step = stepAfter(failed(1), {}, { decidedEnd: 'voicemail_left' });
    expect(step.context.decidedEnd).toBe('voice_error');
    expect(spokenTexts(step)).toEqual([]);
  });

  it('says the language’s apology when the call ends by a failure, once, and not before a transfer', () => {
    const decided = { decidedEnd: 'llm_error', failure: { reason: 'llm_error', detail: 'no' } } as const;
    const apologised = { failover: { ...NO_FAILURES, apologised: true } };
    expect(spokenTexts(stepAfter(failed(1), {}, decided))).toEqual(APOLOGY);
    expect(spokenTexts(stepAfter(failed(1), {}, { ...decided, ...apologised }))).toEqual([]);
    expect(spokenTexts(stepAfter(failed(1), { followUp: TRANSFER }, decided))).toEqual([]);
    expect(spokenTexts(stepAfter(failed(1), {}, { decidedEnd: 'agent_hangup' }))).toEqual([]);
  });
});

describe('a voice that fails with a clause that may not be heard yet', () => {
  const failedAhead = () => stepAfter(failed(1), { pending: AHEAD, generation: GENERATION });

  it('withdraws the clause and the generation without a word to the user', () => {
    const step = failedAhead();
    expect(step.context.reply).toMatchObject({ segments: [], withheldSentences: [], generation: null });
    expect(commandsOf(step, 'model.cancel')).toHaveLength(1);
    expect(commandsOf(step, 'playout.resume')).toHaveLength(1);
    expect(spokenTexts(step)).toEqual([]);
    expect(step.context.history).toMatchObject([{ playedText: null }]);
  });

  it('counts as no failed turn, and the first voice has its retry again', () => {
    const step = failedAhead();
    expect(notices(step).map(({ type }) => type)).toEqual(['provider_failed']);
    expect(step.context.failover).toMatchObject({ failedTurns: null, voice: { index: 0, retriesUs: [] } });
  });
});

describe('a voice without a fallback that is unavailable', () => {
  it('is retried at once, then after a delay in which it gets no text', () => {
    expect(spokenTexts(stepAfter(failed(1, UNAVAILABLE)))).toEqual(SENTENCES);
    const delayed = stepAfter(failed(1, UNAVAILABLE), {}, voiceState(RETRIED));
    expect(spokenTexts(delayed)).toEqual([]);
    expect(delayed.context.reply?.segments.map(({ text }) => text)).toEqual(SENTENCES);
    expect(delayed.context.failover.voice).toMatchObject({
      failedSinceUs: NOW_MS * 1000,
      delays: 1,
      waitingFrom: 3,
      awaitedSegment: null,
    });
  });

  it('is waited for until its delay is over, whatever else it reports', () => {
    const step = stepAfter(failed(1, UNAVAILABLE), {}, voiceState({ ...RETRIED, waitingFrom: 3 }));
    expect(step.context.failover.voice.waitingFrom).not.toBeNull();
    expect(spokenTexts(step)).toEqual([]);
  });

  it('is waited for as long as it asks', () => {
    const step = stepAfter(failed(1, UNAVAILABLE, 3_000), {}, voiceState(RETRIED));
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.start', timer: 'voice', delayMs: 3_000 });
  });

  it('is not waited for once the retry budget is exhausted, or the end of the call is decided', () => {
    const exhausted = stepAfter(failed(1, UNAVAILABLE), {}, voiceState({ ...RETRIED, failedSinceUs: -60_000_000 }));
    const ending = stepAfter(failed(1, UNAVAILABLE), {}, { ...voiceState(RETRIED), decidedEnd: 'agent_hangup' });
    for (const step of [exhausted, ending]) expect(step.context.failover.voice.waitingFrom).toBeNull();
  });

  it('gets the texts that wait for it after the delay, on a new stream', () => {
    const step = stepAfter(VOICE_TIMER, {}, voiceState({ waitingFrom: 2 }));
    expect(spokenTexts(step)).toEqual([SENTENCES[1]]);
    expect(commandsOf(step, 'voice.open')).toHaveLength(1);
    expect(step.context.failover.voice).toMatchObject({ waitingFrom: null, retriesUs: [NOW_MS * 1000] });
  });
});

describe('a failure of a voice with a fallback', () => {
  const agent = agentWith({ fallbacks: { voice: [{ provider: 'test', name: 'second' }] } });

  it('gives the fallback the text from the failed sentence on, which stays what it was', () => {
    const step = stepAfter(failed(2), { generation: GENERATION }, { agent });
    expect(spokenTexts(step)).toEqual([SENTENCES[1]]);
    expect(commandsOf(step, 'voice.cancel')).toEqual([{ type: 'voice.cancel', from: 2 }]);
    expect(step.context.reply?.segments.map(({ text }) => text)).toEqual(SENTENCES);
    expect(step.context.reply?.generation).toBe(GENERATION);
    expect(step.context.failover.voice).toMatchObject({ index: 1, retriesUs: [] });
    expect(step.context.history).toMatchObject([{ text: SENTENCES.join(' '), playedText: null }]);
  });

  it('keeps a sentence uninterruptible that was', () => {
    const before = stepAfter(VOICE_TIMER).context.reply?.segments ?? [];
    const segments = before.map((segment) => ({ ...segment, interruptible: false }));
    const step = stepAfter(failed(1), { segments }, { agent });
    expect(step.context.reply?.segments.map(({ interruptible }) => interruptible)).toEqual([false, false]);
  });
});
