import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { LegEvents } from './leg-events.ts';
import type { LegSession } from './leg-session.ts';
import type { StartBridge } from './start-bridge.ts';

export interface DialogOptions {
  readonly session: LegSession;
  /** The dialog is confirmed, or waits for the ACK. Called again when the data for a BYE after a crash has changed. */
  readonly onDialog: (dialog: Pick<SipDialog, 'sipCallId' | 'recovery'>) => void;
  /** The same for the leg that this leg is bridged to. */
  readonly onBridgedDialog: (dialog: Pick<SipDialog, 'recovery'>) => void;
  /** The callee of a bridge redirected it to this destination, followed or not. */
  readonly onRedirected: (destination: string) => void;
  /** The SIP server exited under this dialog: its peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
  /** null for a leg that is itself one side of a bridge. */
  readonly bridging: StartBridge | null;
}

/** Follows a confirmed dialog, inbound or outbound: offers, DTMF and the end. */
export function followDialog(dialog: SipDialog, events: LegEvents, options: DialogOptions): void {
  options.onDialog(dialog);
  options.session.follow(dialog, events, () => options.onDialog(dialog));
  dialog.onEnded((cause, detail) => {
    const causes = {
      remote_bye: 'remote_bye',
      local_bye: 'local_bye',
      lost: 'sip_error',
      timeout: 'sip_error',
    } as const;
    const recovery = cause === 'lost' ? dialog.recovery() : null;
    if (recovery !== null) options.onLost(recovery);
    events.emit({ type: 'ended', cause: causes[cause], ...(detail !== null && { detail }) });
  });
}
