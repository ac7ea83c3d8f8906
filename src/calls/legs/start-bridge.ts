import type { TransferRequest } from '../../../engine/ports/call-control.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { LegEvents } from './leg-events.ts';

/** A confirmed leg, and the transfer that bridges it. */
export interface BridgeRequest {
  readonly transfer: TransferRequest;
  readonly dialog: SipDialog;
  readonly events: LegEvents;
  /** The second leg has a dialog, or the data for its BYE after a crash has changed. */
  readonly onDialog: (dialog: Pick<SipDialog, 'recovery'>) => void;
  /** The destination redirected the second leg to this one, followed or not. */
  readonly onRedirected: (destination: string) => void;
}

/** Bridges the leg; the outcome goes to its events. */
export type StartBridge = (leg: BridgeRequest) => void;
