import type { TransferRequest } from '../../../engine/ports/call-control.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { LegEvents } from './leg-events.ts';

/** A leg whose dialog stands, and what is to become of it. */
export interface BridgeRequest {
  readonly transfer: TransferRequest;
  readonly dialog: SipDialog;
  readonly events: LegEvents;
  /** The second leg's dialog stands, or what a BYE of another process needs of it has changed. */
  readonly onDialog: (dialog: Pick<SipDialog, 'recovery'>) => void;
}

/** Bridges the leg of this dialog; what comes of it goes to the leg's events. */
export type StartBridge = (leg: BridgeRequest) => void;
