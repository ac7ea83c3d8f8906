import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FollowUp } from '../core/state/playout-slice.ts';
import { failCall } from '../failover/call-failure.ts';
import { changeReply, LISTEN, requestGeneration, startReply } from '../playout/reply.ts';
import type { TransferRequest } from '../ports/call-control.ts';
import { addResult } from '../transcript/history.ts';
import { writeToolResult, writeTransfer } from '../transcript/transcript.ts';
import { commitTurn, userTurnHasWords } from '../turn-detection/commit-turn.ts';

/** What signalling may take beyond the ring timeout before the transfer has failed. */
const SIGNALLING_SLACK_MS = 10_000;

/** Ordered by the model, or by the agent's settings once it has given up. */
type PendingTransfer = Extract<FollowUp, { readonly type: 'transfer' | 'failure_transfer' }>;

function transferOf({ reply }: CallContext): PendingTransfer | null {
  const after = reply?.followUp;
  return after?.type === 'transfer' || after?.type === 'failure_transfer' ? after : null;
}

/** The reply was played to its end: the transfer starts. */
export function beginTransfer(step: RuleStep): void {
  const after = transferOf(step.context);
  if (after !== null) startTransfer(step, after, after.order);
}

function startTransfer(step: RuleStep, after: PendingTransfer, order: TransferRequest): void {
  changeReply(step, { followUp: { ...after, order, ...(after.type === 'transfer' && { started: true }) } });
  writeTransfer(step, order, 'started');
  step.command({ type: 'call.transfer', order });
  step.startTimer('transfer', order.ringTimeoutMs + SIGNALLING_SLACK_MS);
}

/** The peer takes no REFER: we dial ourselves, once. A call that cannot go on bridges only what rescues it. */
export function canBridgeInstead(context: CallContext, event: RuleStep['event']): boolean {
  const after = transferOf(context);
  return (
    event.type === 'control.transfer_failed' &&
    event.refused === true &&
    after?.order.mode === 'refer' &&
    (after.type === 'failure_transfer' || context.decidedEnd === null)
  );
}

export function bridgeInstead(step: RuleStep): void {
  const after = transferOf(step.context);
  if (after === null) return;
  step.log('info', 'the transfer by REFER was refused; the call is bridged instead');
  startTransfer(step, after, { ...after.order, mode: 'bridge' });
}

/** The user is back with the agent, and the model learns the reason. After a failure the call ends. */
export function transferFailed(step: RuleStep): void {
  const after = transferOf(step.context);
  if (after === null) return;
  const why = step.event.type === 'control.transfer_failed' ? step.event.reason : 'nobody answered in time';
  step.stopTimer('transfer');
  if (after.type === 'failure_transfer') {
    step.log('warn', `the transfer after the failure failed: ${why}`);
    writeTransfer(step, after.order, 'failed', why);
    changeReply(step, { followUp: LISTEN });
    return;
  }
  const content = `The transfer failed: ${why}. The caller is still on the line.`;
  addResult(step, after.toolCallId, content);
  writeTransfer(step, after.order, 'failed', why);
  writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: false, content });
  // What the user said during the transfer is answered together with it.
  const isWhole = !step.context.userTurn.speaking && step.context.userTurn.interim === null;
  const turn = isWhole && userTurnHasWords(step.context) ? commitTurn(step) : null;
  startReply(step, turn);
  const { decidedEnd, failure } = step.context;
  if (decidedEnd === null) {
    requestGeneration(step);
    return;
  }
  // The call failed during the transfer: the user is told now.
  step.change({ decidedEnd: null });
  failCall(step, decidedEnd, failure?.detail ?? '');
}

export function transferSucceeded(step: RuleStep): void {
  const after = transferOf(step.context);
  if (after === null) return;
  step.stopTimer('transfer');
  if (after.type === 'transfer') addResult(step, after.toolCallId, 'Transferred.');
  writeTransfer(step, after.order, 'completed');
  if (after.type === 'transfer') {
    writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: true, content: 'Transferred.' });
  }
  step.change({ reply: null });
  const { event } = step;
  const bridged = event.type === 'control.transfer_succeeded' && event.bridged === true;
  step.raise(bridged ? { type: 'engine.bridged' } : { type: 'engine.end', reason: 'transferred' });
}
