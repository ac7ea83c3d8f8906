import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply, Segment } from '../core/state/playout-slice.ts';
import { changeVoiceState, voiceAt, voiceName } from '../current-providers/current-voice.ts';
import { skippedProviders } from '../current-providers/skipped-providers.ts';
import { clearSpeech } from '../playout/drop-reply.ts';
import { segmentInSynthesis, watchVoice } from '../playout/playout-watchdogs.ts';
import { changeReply, hasRequestedTransfer, speakSegment } from '../playout/reply.ts';
import { describeProviderError } from '../ports/provider-error.ts';
import type { VoiceOptions } from '../ports/voice.ts';
import { leaveAnnouncement } from '../recording/recording-consent.ts';
import { changeAgentItem, joinTexts } from '../transcript/history.ts';
import { failCall, sayLanguageApology } from './call-failure.ts';
import { failTurn } from './failed-turn.ts';
import { retryDelayMs } from './retry-delay.ts';
import { chooseProvider, isStall, logProviderFailure, type ProviderFailure } from './retry-or-next-provider.ts';
import { splitAtResumePoint } from './voice-resume-point.ts';

/** Retries with one voice before it has spoken a whole segment again. */
const RETRIES_MAX = 1;

/** Opens the voice in use, in place of the voice that was open. */
export function openVoice(step: RuleStep): void {
  const { agent, failover } = step.context;
  const { provider, name, speed, model, instructions } = voiceAt(agent, failover.voice.index);
  const options: Omit<VoiceOptions, 'format' | 'phrases'> = {
    provider,
    name,
    language: agent.language,
    speed,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(agent.pronunciations.length === 0 ? {} : { pronunciations: agent.pronunciations }),
  };
  step.command({ type: 'voice.open', options });
}

/**
 * The voice failed, sent no first audio in time, or ended a segment without a sample. Audio that it has sent is played.
 * The rest of that segment and all later segments go to the same voice again, or to the next one. The same event ends a
 * retry delay.
 */
export function onVoiceFailure(step: RuleStep): void {
  const { event } = step;
  const { reply, failover } = step.context;
  if (event.type === 'timer' && failover.voice.waitingFrom !== null) {
    speakWaitingSegments(step, failover.voice.waitingFrom);
    return;
  }
  const isReported = event.type === 'voice.failed' || event.type === 'voice.done';
  const failed = isReported
    ? reply?.segments.find(({ number }) => number === event.segment)
    : segmentInSynthesis(step.context);
  if (reply === null || failed === undefined) return;
  const detail = failureDetail(step);
  const unspoken = removeUnspoken(step, reply, failed, isReported ? event.durationMs : 0);
  const retryable = event.type !== 'voice.failed' || event.error.retryable;
  const stalled = !isReported || (event.type === 'voice.failed' && isStall(event.error));
  if (!chooseVoice(step, { retryable, stalled }, detail, isReported) && !delaySegments(step, retryable && isReported)) {
    if (step.context.reply?.pending?.phase === 'ahead') {
      withdrawUnvoiced(step);
      return;
    }
    leaveUnspoken(step, unspoken);
    onNoVoice(step, detail);
    return;
  }
  for (const { item, text, interruptible } of unspoken)
    speakSegment(step, item, text, { isInHistory: true, interruptible });
}

/**
 * Every voice has failed: the first one gets the text again after a delay. False once the retry budget is exhausted, and
 * for a failure that a retry repeats: a rejection, or a voice that hangs.
 */
function delaySegments(step: RuleStep, canRetry: boolean): boolean {
  const { decidedEnd, counters, failover } = step.context;
  const { delays } = failover.voice;
  const failedSinceUs = failover.voice.failedSinceUs ?? step.nowUs;
  const delayMs = retryDelayMs(step, { delays, failedSinceUs, requestedMs: requestedDelayMs(step) });
  if (!canRetry || decidedEnd !== null || delayMs === null) return false;
  changeVoiceState(step, {
    failedSinceUs,
    delays: delays + 1,
    waitingFrom: counters.segment + 1,
    awaitedSegment: null,
  });
  step.startTimer('voice', delayMs);
  return true;
}

function requestedDelayMs({ event }: RuleStep): number {
  return event.type === 'voice.failed' ? (event.error.retryAfterMs ?? 0) : 0;
}

function speakWaitingSegments(step: RuleStep, waitingFrom: number): void {
  const { reply } = step.context;
  changeVoiceState(step, { waitingFrom: null });
  // One attempt: the failures before the delay count.
  changeVoice(step, 0, [step.nowUs]);
  for (const { number, text } of reply?.segments ?? []) {
    if (reply === null || number < waitingFrom) continue;
    step.command({ type: 'voice.speak', utterance: reply.number, segment: number, text });
  }
  watchVoice(step);
}

/**
 * No voice speaks the clause of an answer that may not be heard yet. The empty reply is withdrawn: the model is asked
 * again at the end of the turn, and only then the failure counts.
 */
function withdrawUnvoiced(step: RuleStep): void {
  const { reply } = step.context;
  if (reply === null) return;
  clearSpeech(step, reply);
  step.command({ type: 'playout.resume' });
  leaveUnspoken(step, []);
  changeReply(step, { segments: [], withheldSentences: [] });
  changeVoice(step, 0, []);
}

/** No voice speaks these texts: they are removed from the history too, and a running generation is cancelled. */
function leaveUnspoken(step: RuleStep, unspoken: readonly Pick<Segment, 'item'>[]): void {
  const { reply } = step.context;
  if (reply === null) return;
  const items = new Set(unspoken.map((segment) => segment.item));
  leaveAnnouncement(step, items);
  for (const item of items) {
    const spoken = reply.segments.filter((segment) => segment.item === item).map(({ text }) => text);
    changeAgentItem(step, item, { playedText: joinTexts(...spoken) });
  }
  if (reply.generation !== null) step.command({ type: 'model.cancel', generation: reply.generation.number });
  step.stopTimer('generation');
  changeReply(step, { generation: null, requestPending: false });
}

function failureDetail({ context, event }: RuleStep): string {
  if (event.type === 'voice.failed') return describeProviderError(event.error);
  const { provider } = voiceAt(context.agent, context.failover.voice.index);
  return `${provider} ${event.type === 'voice.done' ? 'malformed: a text without audio' : 'timeout: no audio in time'}`;
}

/** Removes the text without audio from the reply and returns it. */
function removeUnspoken(
  step: RuleStep,
  reply: Reply,
  failed: Segment,
  emittedMs: number,
): readonly Pick<Segment, 'item' | 'text' | 'interruptible'>[] {
  const index = reply.segments.indexOf(failed);
  const before = reply.segments.slice(0, index);
  if (emittedMs === 0) {
    // Earlier segments have all their audio; it may still wait for room in the playout.
    step.command({ type: 'voice.cancel', from: failed.number });
    changeReply(step, { segments: before });
    return reply.segments.slice(index);
  }
  step.command({ type: 'voice.cancel', from: failed.number + 1 });
  const { characterMs } = step.context.failover.voice;
  const { said, rest } = splitAtResumePoint(failed.text, { emittedMs, words: failed.words, characterMs });
  changeReply(step, { segments: [...before, { ...failed, text: said, durationMs: emittedMs }] });
  const later = reply.segments.slice(index + 1);
  return [{ item: failed.item, text: rest, interruptible: failed.interruptible }, ...later];
}

/** Logs the failure, and retries the voice or changes to the next one; false if none is left. */
function chooseVoice(step: RuleStep, failing: ProviderFailure, error: string, isReported: boolean): boolean {
  const { agent, failover } = step.context;
  const { index, failedUs, retriesUs } = failover.voice;
  const isSkipped = skippedProviders(1 + agent.fallbacks.voice.length, failedUs, step.nowUs);
  const choice = chooseProvider(index, isSkipped, failing, retriesUs.length < RETRIES_MAX);
  const to = choice.type === 'next' ? voiceName(agent, choice.index) : null;
  logProviderFailure(step, { kind: 'voice', from: voiceName(agent, index), to, error });
  if (choice.type === 'retry') {
    changeVoiceState(step, { retriesUs: [...retriesUs, step.nowUs] });
    // A voice that reported its failure reconnects by itself; one that timed out may hang in its connection.
    if (!isReported) openVoice(step);
    return true;
  }
  changeVoiceState(step, { failedUs: new Map([...failedUs, [index, step.nowUs]]) });
  if (choice.type === 'none') return false;
  changeVoice(step, choice.index, []);
  return true;
}

/**
 * No voice is left. The agent's first voice is opened once more for the apology, which the phrase cache may hold. If
 * that fails too, the call ends or is transferred once the audio that was sent has been played.
 */
function onNoVoice(step: RuleStep, detail: string): void {
  const { decidedEnd, failover, failure, reply } = step.context;
  // The voicemail message was not said, so none was left.
  if (decidedEnd === 'voicemail_left') step.change({ decidedEnd: 'voice_error' });
  else if (decidedEnd === null) {
    changeVoice(step, 0, [step.nowUs]);
    if (failover.failedTurns?.reply === reply?.number) failCall(step, 'voice_error', detail);
    else failTurn(step, 'voice_error', detail);
  } else if (failure !== null && !failover.apologised && !hasRequestedTransfer(step.context)) {
    // The agent's message failed too; the phrase cache may hold the language's apology.
    changeVoice(step, 0, [step.nowUs]);
    sayLanguageApology(step);
  }
}

function changeVoice(step: RuleStep, index: number, retriesUs: readonly number[]): void {
  changeVoiceState(step, { index, retriesUs, characterMs: null });
  openVoice(step);
}

/** The voice ended a segment without a sample, although every text given to it is speakable. */
export function isSilentSegment(_context: CallContext, event: RuleStep['event']): boolean {
  return event.type === 'voice.done' && event.durationMs === 0;
}
