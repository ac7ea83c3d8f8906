import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TransferFollowUp } from '../core/state/playout-slice.ts';
import { failCall } from '../failover/call-failure.ts';
import { addNote } from '../lifecycle/lifecycle.ts';
import { changeReply, isTransfer, LISTEN, requestGeneration, startReply } from '../playout/reply.ts';
import type { TransferRequest } from '../ports/call-control.ts';
import { judgeSpokenConsent } from '../recording/recording-consent.ts';
import { addToolResult } from '../transcript/history.ts';
import { writeToolResult, writeTransfer } from '../transcript/transcript.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';

/** Added to the ring timeout: after that the transfer has failed. */
const SIGNALLING_SLACK_MS = 10_000;

function pendingTransfer({ reply }: CallContext): TransferFollowUp | null {
  return reply !== null && isTransfer(reply.followUp) ? reply.followUp : null;
}

/** The reply was played to its end: the transfer starts. */
export function beginTransfer(step: RuleStep): void {
  const pending = pendingTransfer(step.context);
  if (pending !== null) startTransfer(step, pending, pending.request);
}

function startTransfer(step: RuleStep, pending: TransferFollowUp, request: TransferRequest): void {
  changeReply(step, { followUp: { ...pending, request, started: true } });
  writeTransfer(step, request, 'started');
  step.command({ type: 'call.transfer', request });
  step.startTimer('transfer', request.ringTimeoutMs + SIGNALLING_SLACK_MS);
}

/** The peer refused REFER: the call is bridged instead, once. After a failure, only the failure transfer is bridged. */
export function canBridgeInstead(context: CallContext, event: RuleStep['event']): boolean {
  const pending = pendingTransfer(context);
  return (
    event.type === 'control.transfer_failed' &&
    event.refused === true &&
    pending?.request.mode === 'refer' &&
    (pending.type === 'failure_transfer' || context.failure === null)
  );
}

export function bridgeInstead(step: RuleStep): void {
  const pending = pendingTransfer(step.context);
  if (pending === null) return;
  step.log({ type: 'refer_refused' });
  startTransfer(step, pending, { ...pending.request, mode: 'bridge' });
}

/** The user is back with the agent, and the model learns the reason. A failed failure transfer ends the call. */
export function transferFailed(step: RuleStep): void {
  const pending = pendingTransfer(step.context);
  if (pending === null) return;
  const reason = step.event.type === 'control.transfer_failed' ? step.event.reason : 'nobody answered in time';
  step.stopTimer('transfer');
  if (pending.type === 'failure_transfer') {
    writeTransfer(step, pending.request, 'failed', reason);
    changeReply(step, { followUp: LISTEN });
    return;
  }
  const content = `The transfer failed: ${reason}. The caller is still on the line.`;
  writeTransfer(step, pending.request, 'failed', reason);
  if (pending.type === 'requested_transfer') addNote(step, content);
  else {
    addToolResult(step, pending.toolCallId, content);
    writeToolResult(step, { id: pending.toolCallId, name: pending.name }, { successful: false, content });
  }
  // The user's words during the transfer are answered together with its failure.
  const isTranscribed = !step.context.userTurn.speaking && !hasChangingWords(step.context.userTurn.speech);
  if (isTranscribed) judgeSpokenConsent(step);
  const turn = isTranscribed && userTurnHasWords(step.context) ? commitTurn(step) : null;
  startReply(step, turn);
  const { failure } = step.context;
  if (failure === null) {
    requestGeneration(step);
    return;
  }
  // The call failed during the transfer: the apology follows now.
  step.change({ decidedEnd: null });
  failCall(step, failure.reason, failure.detail);
}

export function transferSucceeded(step: RuleStep): void {
  const pending = pendingTransfer(step.context);
  if (pending === null) return;
  writeTransfer(step, pending.request, 'completed');
  if (pending.type === 'transfer') {
    writeToolResult(
      step,
      { id: pending.toolCallId, name: pending.name },
      { successful: true, content: 'Transferred.' },
    );
  }
  step.change({ reply: null });
  const { event } = step;
  const bridged = event.type === 'control.transfer_succeeded' && event.bridged === true;
  step.raise(bridged ? { type: 'engine.bridged' } : { type: 'engine.end', reason: 'transferred' });
}
