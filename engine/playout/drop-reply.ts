import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp, Reply } from '../core/state/playout-slice.ts';
import { dropUnsentDtmf } from '../dtmf/send-dtmf.ts';
import { count } from '../metrics/conversation-metrics.ts';
import { addResult, amendResult } from '../transcript/history.ts';
import { rewriteToolResult, truncateToPlayed, writeToolResult, writeTransfer } from '../transcript/transcript.ts';
import { stopReplyTimers } from './playout-watchdogs.ts';
import { changeReply, rememberPlayedSegments } from './reply.ts';

/** What cut a reply, in words for the model. */
export const DROP_REASONS = {
  user: 'the caller spoke',
  dtmf: 'the caller pressed keys',
  answeringMachine: 'a machine answered',
  queuedSpeech: 'another message was to be said at once',
  playout: 'the audio did not reach the caller',
  failure: 'something failed',
  end: 'the call ended',
} as const;
type DropReason = keyof typeof DROP_REASONS;

/** What was not heard yet is never said. A reply after which the call itself ends is dropped by that end alone. */
export function dropReply(step: RuleStep, cut: DropReason): void {
  const { reply, interruption } = step.context;
  if (reply === null) return;
  const playedMs = playedMsOf(step.context, step.nowUs);
  if (reply.generation !== null) step.command({ type: 'model.cancel', generation: reply.generation.number });
  clearSpeech(step, reply);
  if (isPlaybackPaused(interruption)) step.command({ type: 'playout.resume' });
  stopReplyTimers(step);
  truncateToPlayed(step, reply, playedMs);
  cancelFollowUp(step, reply.followUp, cut);
  rememberPlayedSegments(step);
  dropUnsentDtmf(step, DROP_REASONS[cut]);
  step.change({ reply: null, interruption: null, lastDroppedReply: reply, pendingResponse: true });
}

/** The same where nothing but the rest of its words is given up: what is to be done after the reply is still done. */
export function dropRemainingSpeech(step: RuleStep): void {
  const { reply } = step.context;
  if (reply === null) return;
  const playedMs = playedMsOf(step.context, step.nowUs);
  clearSpeech(step, reply);
  stopReplyTimers(step);
  truncateToPlayed(step, reply, playedMs);
  changeReply(step, { segments: [] });
  step.change({ lastDroppedReply: reply });
}

function clearSpeech(step: RuleStep, { segments, utterance }: Reply): void {
  const [first] = segments;
  if (first === undefined || segments.every((segment) => segment.ended)) return;
  step.command({ type: 'voice.cancel', from: first.number });
  step.command({ type: 'playout.clear', utterance });
}

/** What was to be done after the reply is not done: the call that asked for it is told so. */
export function cancelFollowUp(step: RuleStep, after: FollowUp, cut: DropReason): void {
  if (after.type === 'end' && cut !== 'end') {
    const content = `Not done: ${DROP_REASONS[cut]} before the goodbye was over: the call goes on.`;
    amendResult(step, after.result.call.id, content);
    rewriteToolResult(step, after.result, { successful: false, content });
  }
  if (after.type === 'transfer') {
    const content = `Not done: ${DROP_REASONS[cut]} before it was.`;
    if (after.started === true) writeTransfer(step, after.order, 'failed', DROP_REASONS[cut]);
    addResult(step, after.toolCallId, content);
    writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: false, content });
  }
}

function isPlaybackPaused(interruption: CallContext['interruption']): boolean {
  return interruption !== null && interruption.status !== 'resumed';
}

export function interruptReply(step: RuleStep): void {
  count(step, 'interruptions');
  dropReply(step, 'user');
}

/** Known to the sample now: what had left on the wire when the reply was dropped. */
export function refineTruncation(step: RuleStep): void {
  const { event } = step;
  const { lastDroppedReply } = step.context;
  if (event.type !== 'media.cleared' || lastDroppedReply?.utterance !== event.utterance) return;
  step.change({ lastDroppedReply: null });
  truncateToPlayed(step, lastDroppedReply, event.playedMs);
}

/** What of the reply has left on the wire by now, as far as marks and the time since tell. */
export function playedMsOf({ reply, interruption, haltedSinceUs }: CallContext, nowUs: number): number {
  if (isPlaybackPaused(interruption) && interruption?.playedMs != null) return interruption.playedMs;
  const segment = reply?.segments.findLast((one) => one.playout !== null);
  if (segment?.playout == null) return 0;
  const { startedUs, playedMs } = segment.playout;
  const elapsedMs = Math.max(0, (haltedSinceUs ?? nowUs) - startedUs) / 1000;
  return playedMs + (segment.durationMs === null ? elapsedMs : Math.min(elapsedMs, segment.durationMs));
}

export function dropReplyForDtmf(step: RuleStep): void {
  dropReply(step, 'dtmf');
}
