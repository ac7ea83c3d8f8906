import { classifyEndedTurn } from '../answering-machine/detection.ts';
import type { CallContext } from '../core/context.ts';
import type { MachineEvent, RuleStep } from '../core/rule-step.ts';
import type { PendingTurn, Reply } from '../core/state/playout-slice.ts';
import { isPartlyTranscribed } from '../current-providers/transcription-gap.ts';
import { watchSilence, withdrawWait } from '../fillers/filler.ts';
import { askModel } from '../generation/ask-model.ts';
import { isCurrentRequest, releaseGeneration } from '../generation/generation.ts';
import { haveSameWords } from '../languages/words.ts';
import { countEagerHit, countEagerMiss, countMetric } from '../metrics/conversation-metrics.ts';
import { clearSpeech } from '../playout/drop-reply.ts';
import { isPlaybackPaused } from '../playout/playback-position.ts';
import { stopReplyTimers, watchPlayout } from '../playout/playout-watchdogs.ts';
import { addSpokenText, changeReply } from '../playout/reply.ts';
import { countDiscardedClause } from '../playout/voice-ahead.ts';
import { judgeSpokenConsent } from '../recording/recording-consent.ts';
import { removeAgentItems } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import { commitPendingTurn } from '../turn-detection/commit-turn.ts';
import { hasWordsAfterRequest, isAnswerOverdue } from '../turn-detection/words-after-request.ts';
import { requestExtraction } from '../variable-extraction/variable-extraction.ts';

export function isTurnPending({ reply }: CallContext): boolean {
  return reply?.pending != null;
}

/** The call ends or is transferred after the reply, whatever the user says. */
export function isEndDecided({ decidedEnd, reply }: CallContext): boolean {
  return reply?.pending != null && (decidedEnd !== null || reply.followUp.type !== 'listen');
}

/** The turn is committed. The model's answer to it is left out, except the text that the voice has already. */
export function commitUnanswered(step: RuleStep): void {
  if (isPlaybackPaused(step.context)) step.command({ type: 'playout.resume' });
  judgeSpokenConsent(step);
  commitPendingTurn(step);
  const { reply } = step.context;
  for (const { item, text, isVoiced } of reply?.withheldSentences ?? []) if (isVoiced) addSpokenText(step, item, text);
  changeReply(step, { withheldSentences: [] });
}

/** The user has said more than the model was asked with, in this turn or the one before it, and nothing of the answer was heard. */
export function hasMoreWords(context: CallContext): boolean {
  const { corrections, reply } = context;
  if (reply?.pending?.phase !== 'ended') return false;
  return corrections.length > 0 || hasOtherWords(context, reply.pending);
}

function hasOtherWords(context: CallContext, pending: PendingTurn): boolean {
  return !isAnswerOverdue(context) && hasWordsAfterRequest(context, pending);
}

/** The user has typed an entry since the model was asked, and nothing of the answer was heard: it is part of the turn. */
export function hasTypedEntryAfterRequest({ dtmf, reply }: CallContext): boolean {
  return reply?.pending?.phase === 'ended' && dtmf.entries.length > 0;
}

/** The user makes a sound: the answer waits until their turn has ended again. */
export function withholdReply(step: RuleStep): void {
  const { reply } = step.context;
  if (reply?.pending == null) return;
  changeReply(step, { pending: { ...reply.pending, phase: 'withheld' } });
  step.change({ userTurn: { ...step.context.userTurn, complete: false } });
  watchSilence(step);
  step.command({ type: 'playout.pause' });
  step.stopTimer('playout');
}

/** The transcriber was lost before a final, and nothing of the answer was heard: the answer waits until all words are known. */
export function withholdPartlyTranscribed(step: RuleStep): void {
  const { failover, reply } = step.context;
  if (reply?.pending?.phase !== 'ended' || failover.failedTurns !== null) return;
  if (isPartlyTranscribed(step)) withholdReply(step);
}

/** The answer does not fit the user's turn: they said other words, enter digits, or the model has no answer. */
export function isReplyOutdated(context: CallContext, event: MachineEvent): boolean {
  const { corrections, dtmf, reply } = context;
  if (reply?.pending == null) return false;
  if (corrections.length > 0) return true;
  if (event.type === 'transcriber.turn' && event.phase === 'resumed') return true;
  if (dtmf.openEntry !== null || dtmf.entries.length > 0) return true;
  return isEmpty(reply) || !fitsWords(context, reply.pending);
}

/**
 * An answer that was asked ahead must have exactly these words. After the end of the turn, words of politeness may
 * follow them.
 */
function fitsWords(context: CallContext, pending: PendingTurn): boolean {
  if (pending.phase !== 'ahead') return !hasOtherWords(context, pending);
  return haveSameWords(userTurnText(context.userTurn), pending.text);
}

function isEmpty({ generation, withheldSentences, requestPending, segments }: Reply): boolean {
  return generation === null && !requestPending && withheldSentences.length === 0 && segments.length === 0;
}

/** Nothing of the reply was heard: it is forgotten, and the user's turn is open as before. */
export function withdrawReply(step: RuleStep): void {
  const { reply, userTurn } = step.context;
  if (reply?.pending == null) return;
  const { pending, generation } = reply;
  if (pending.phase === 'ahead') {
    // A failure of the model does not show that the user pauses within turns.
    if (isEmpty(reply)) countMetric(step, 'eagerMisses');
    else countEagerMiss(step);
  }
  withdrawWait(step);
  countDiscardedClause(step);
  if (generation !== null && !generation.hasEnded)
    step.command({ type: 'model.cancel', generation: generation.number });
  clearSpeech(step, reply);
  if (isPlaybackPaused(step.context)) step.command({ type: 'playout.resume' });
  stopReplyTimers(step);
  removeAgentItems(step, pending.item);
  step.change({
    reply: null,
    interruption: null,
    pendingResponse: pending.wasResponsePending || step.context.pendingResponse,
    userTurn: { ...userTurn, complete: userTurn.complete && isProviderEnd(step.event) },
  });
}

/**
 * The provider's end of a turn. It is sent once, so the turn stays complete although it withdraws an answer to other
 * words.
 */
function isProviderEnd(event: RuleStep['event']): boolean {
  return event.type === 'transcriber.turn' && event.phase === 'ended';
}

/** A tool has answered since the model was asked, no other tool runs, and nothing of the answer was heard. */
export function lacksToolResult(context: CallContext): boolean {
  const { pendingResponse, reply, runningTools } = context;
  if (reply?.pending?.phase !== 'ended' || reply.requestPending) return false;
  return pendingResponse && runningTools.length === 0 && !isAnswerOverdue(context);
}

/** The model is asked again, with the result: the user does not hear first that the tool still runs. */
export function askWithToolResult(step: RuleStep): void {
  const endedUs = step.context.reply?.pending?.endedUs ?? step.nowUs;
  withdrawReply(step);
  askModel(step, 'ended');
  const pending = step.context.reply?.pending;
  if (pending != null) changeReply(step, { pending: { ...pending, endedUs } });
}

/** The end of the turn is certain: the answer may be heard. If more than the words has changed, the model is asked again. */
export function releaseReply(step: RuleStep): void {
  classifyEndedTurn(step);
  judgeSpokenConsent(step);
  const { reply } = step.context;
  if (reply?.pending == null) return;
  if (reply.pending.phase === 'ahead' && !isCurrentRequest(step)) {
    withdrawReply(step);
    askModel(step, 'ended');
    requestExtraction(step);
    return;
  }
  const { pending } = reply;
  const isPaused = isPlaybackPaused(step.context);
  if (pending.phase === 'ahead') countEagerHit(step);
  changeReply(step, { pending: { ...pending, phase: 'ended', endedUs: step.nowUs } });
  if (isPaused) {
    step.command({ type: 'playout.resume' });
    watchPlayout(step);
  }
  requestExtraction(step);
  releaseGeneration(step);
  watchSilence(step);
}
