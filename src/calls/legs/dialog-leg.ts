import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { SipDialog } from '../../../sip/signalling/signalling.ts';
import type { StartBridge } from './bridge-request.ts';
import type { LegEvents } from './leg-events.ts';
import type { LegSession } from './leg-session.ts';

export interface DialogOptions {
  readonly session: LegSession;
  /** The dialog stands, or will with the peer's ACK. Called again when what a BYE of another process needs has changed. */
  readonly onDialog: (dialog: Pick<SipDialog, 'sipCallId' | 'recovery'>) => void;
  /** The same of whom this leg is bridged to. */
  readonly onBridgedDialog: (dialog: Pick<SipDialog, 'recovery'>) => void;
  /** The server died and took the dialog: the peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
  /** null for a leg that is itself one side of a bridge. */
  readonly bridging: StartBridge | null;
}

/** The part of a leg that is the same whoever called whom: what happens once its dialog stands. */
export function followDialog(dialog: SipDialog, events: LegEvents, options: DialogOptions): void {
  options.onDialog(dialog);
  options.session.follow(dialog, events, () => options.onDialog(dialog));
  dialog.onEnded((cause) => {
    const causes = {
      remote_bye: 'remote_bye',
      local_bye: 'local_bye',
      lost: 'sip_error',
      timeout: 'sip_error',
    } as const;
    const recovery = cause === 'lost' ? dialog.recovery() : null;
    if (recovery !== null) options.onLost(recovery);
    events.emit({ type: 'ended', cause: causes[cause] });
  });
}
