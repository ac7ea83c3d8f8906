import type { CallControlEvent, TransferRequest } from '../../../engine/ports/call-control.ts';
import type { ReferOutcome, SipDialog } from '../../../sip/signalling/signalling.ts';
import { transferFailureOfStatus } from './cause-of-sip-status.ts';
import type { DialogOptions } from './dialog-leg.ts';
import type { LegEvents } from './leg-events.ts';

/** The peer's share of the ten seconds that the engine gives signalling beyond the ring timeout. */
const REFER_SLACK_MS = 8_000;

/** Transfers the leg of this dialog; the one outcome goes to `events`. */
export function transferLeg(
  request: TransferRequest,
  dialog: SipDialog | null,
  events: LegEvents,
  {
    bridging,
    onBridgedDialog: onDialog,
    onRedirected,
  }: Pick<DialogOptions, 'bridging' | 'onBridgedDialog' | 'onRedirected'>,
): void {
  const fail = (reason: string) => events.emit({ type: 'transfer_failed', reason });
  if (dialog === null) fail('the call is not connected');
  else if (request.mode === 'refer') refer(request, dialog, events);
  else if (bridging === null) fail('this leg cannot be bridged');
  else bridging({ transfer: request, dialog, events, onDialog, onRedirected });
}

function refer({ destination, headers, ringTimeoutMs }: TransferRequest, dialog: SipDialog, events: LegEvents): void {
  const to = destination.startsWith('+') ? `tel:${destination}` : destination;
  try {
    dialog.refer({ to, headers, deadlineMs: ringTimeoutMs + REFER_SLACK_MS }, (outcome) =>
      events.emit(transferEvent(outcome)),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    events.emit({ type: 'transfer_failed', reason });
  }
}

function transferEvent(outcome: ReferOutcome): CallControlEvent {
  switch (outcome.type) {
    case 'succeeded':
      return { type: 'transfer_succeeded' };
    case 'refused':
      return {
        type: 'transfer_failed',
        reason: `the caller's side takes no transfer (${outcome.status})`,
        refused: true,
      };
    case 'failed':
      return { type: 'transfer_failed', reason: transferFailureOfStatus(outcome.status) ?? outcome.reason };
  }
}
