import { isReplyAudible } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp, Reply } from '../core/state/playout-slice.ts';
import { dropUnsentDtmf } from '../dtmf/send-dtmf.ts';
import { countInterruption } from '../metrics/conversation-metrics.ts';
import { addToolResult, amendToolResult } from '../transcript/history.ts';
import { rewriteToolResult, truncateToPlayed, writeToolResult, writeTransfer } from '../transcript/transcript.ts';
import { commitPendingTurn } from '../turn-detection/commit-turn.ts';
import { markAgentSound } from './agent-sound.ts';
import { isPlaybackPaused, playbackPositionMs } from './playback-position.ts';
import { stopReplyTimers } from './playout-watchdogs.ts';
import { changeReply, isTransfer, rememberPlayedSegments } from './reply.ts';
import { keepUnheardSpeech } from './unheard-speech.ts';

/** Why a reply was dropped, as text for the model. */
export const DROP_REASONS = {
  user: 'the caller spoke',
  dtmf: 'the caller pressed keys',
  answeringMachine: 'a machine answered',
  queuedSpeech: 'another message was to be said at once',
  correction: 'the words of the caller were understood late',
  playout: 'the audio did not reach the caller',
  failure: 'something failed',
  end: 'the call ended',
} as const;
type DropReason = keyof typeof DROP_REASONS;

/** Ends the reply now: text that was not played is never said, except say requests and the initial message. */
export function dropReply(step: RuleStep, reason: DropReason): void {
  const isPaused = isPlaybackPaused(step.context);
  commitPendingTurn(step);
  const { reply } = step.context;
  if (reply === null) return;
  const playedMs = playbackPositionMs(step.context, step.nowUs);
  if (reply.generation !== null) step.command({ type: 'model.cancel', generation: reply.generation.number });
  clearSpeech(step, reply);
  if (isPaused) step.command({ type: 'playout.resume' });
  stopReplyTimers(step);
  truncateToPlayed(step, reply, playedMs);
  cancelFollowUp(step, reply.followUp, reason);
  rememberPlayedSegments(step);
  if (isReplyAudible(step.context) && !isPaused) markAgentSound(step, false);
  dropUnsentDtmf(step, DROP_REASONS[reason]);
  // For a peer that takes no audio, the same text would be said again and again.
  const isKept = reason !== 'playout' && keepUnheardSpeech(step, reply, playedMs);
  const pendingResponse = !isKept || step.context.pendingResponse;
  step.change({ reply: null, interruption: null, lastDroppedReply: reply, pendingResponse });
}

/** Drops the speech that was not played, but keeps the reply and its follow-up. */
export function dropRemainingSpeech(step: RuleStep): void {
  const { reply } = step.context;
  if (reply === null) return;
  const playedMs = playbackPositionMs(step.context, step.nowUs);
  clearSpeech(step, reply);
  stopReplyTimers(step);
  truncateToPlayed(step, reply, playedMs);
  changeReply(step, { segments: [] });
  step.change({ lastDroppedReply: reply });
}

/** Nothing more of the reply is spoken or played. */
export function clearSpeech(step: RuleStep, { segments, number }: Reply): void {
  const [first] = segments;
  if (first === undefined || segments.every((segment) => segment.ended)) return;
  step.command({ type: 'voice.cancel', from: first.number });
  step.command({ type: 'playout.clear', utterance: number });
}

/** Cancels the reply's follow-up; the tool call that requested it gets a failed result. */
export function cancelFollowUp(step: RuleStep, followUp: FollowUp, reason: DropReason): void {
  if (followUp.type === 'end' && reason !== 'end') {
    const content = `Not done: ${DROP_REASONS[reason]} before the goodbye was over: the call goes on.`;
    amendToolResult(step, followUp.result.call.id, content);
    rewriteToolResult(step, followUp.result, { successful: false, content });
  }
  if (!isTransfer(followUp)) return;
  if (followUp.started === true) writeTransfer(step, followUp.request, 'failed', DROP_REASONS[reason]);
  // The user cannot cancel a requested transfer: it follows the next reply, unless a later request has replaced it.
  else if (followUp.type === 'requested_transfer') {
    const { announcement, request } = followUp;
    step.change({ queuedTransfer: step.context.queuedTransfer ?? { request, announcement } });
  }
  if (followUp.type === 'transfer') {
    const content = `Not done: ${DROP_REASONS[reason]} before it was.`;
    addToolResult(step, followUp.toolCallId, content);
    writeToolResult(step, { id: followUp.toolCallId, name: followUp.name }, { successful: false, content });
  }
}

export function interruptReply(step: RuleStep): void {
  countInterruption(step);
  dropReply(step, 'user');
}

/** Truncates a dropped reply again, now that its playback position is known to the sample. */
export function refineTruncation(step: RuleStep): void {
  const { event } = step;
  const { lastDroppedReply } = step.context;
  if (event.type !== 'media.cleared' || lastDroppedReply?.number !== event.utterance) return;
  step.change({ lastDroppedReply: null });
  truncateToPlayed(step, lastDroppedReply, event.playedMs);
}

export function dropReplyForTypedEntry(step: RuleStep): void {
  dropReply(step, 'dtmf');
}
