import { createDigestClient } from '../authentication/create-digest-client.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import { ALLOW } from '../message/capabilities.ts';
import { catchErrors } from './catch-errors.ts';
import { ConfirmedDialog } from './confirmed-dialog.ts';
import type { ServerLink } from './server-link.ts';
import { SignallingError } from './signalling-error.ts';
import type { SrfDialog, SrfRequest, SrfResponse } from './srf-client.ts';

/** Slightly longer than the server's own 64·T1 = 32 s without an ACK (RFC 3261 §13.3.1.4). */
const ACK_TIMEOUT_MS = 35_000;

/** An answered call and its ACK. */
export interface Accepted {
  readonly dialog: ConfirmedDialog;
  /** The SDP of the ACK; null without SDP, or if a BYE came instead of the ACK. */
  readonly ackSdp: string | null;
}

/** The contents of the 200, and the recovery data of its dialog. */
export interface AnswerContent {
  readonly sdp: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly recovery: DialogRecovery | null;
}

/** Called once the 200 was sent and the dialog's recovery data is known. */
export type OnAnswerSent = (dialog: Pick<ConfirmedDialog, 'sipCallId' | 'recovery'>) => void;

/**
 * Sends the 200 and waits for the ACK. A peer that hangs up at once, without an ACK, counts as answered.
 * @returns null if the peer's CANCEL ended the transaction before the 200.
 * @throws SignallingError `transaction_lost` if no ACK came or the server exited.
 */
export function acceptInvite(
  link: ServerLink,
  req: SrfRequest,
  res: SrfResponse,
  { sdp, headers: more, recovery }: AnswerContent,
  onSent: OnAnswerSent,
): Promise<Accepted | null> {
  return new Promise((resolve, reject) => {
    let hasDialog = false;
    const removeListener = link.onLost(() => {
      reject(lost('the SIP server was lost before the ACK'));
      // The 200 may have gone. A caller that saw none refuses the BYE with 481.
      const isOrphaned = !hasDialog && link.server.onDialog === undefined;
      if (isOrphaned && recovery !== null) void link.owner.endOrphan(recovery);
    });
    const headers = { 'Content-Type': 'application/sdp', Allow: ALLOW, ...more };
    link.srf.createUAS(req, res, { localSdp: sdp, headers }, (error, srfDialog) => {
      if (srfDialog !== undefined) {
        hasDialog = true;
        return awaitAck(link, srfDialog, { sdp, recovery }, onSent).then(resolve, reject).finally(removeListener);
      }
      removeListener();
      if (isTransactionGone(error)) resolve(null);
      else reject(lost(`the SIP server refused the 200: ${String(error)}`));
    });
  });
}

function awaitAck(
  link: ServerLink,
  srfDialog: SrfDialog,
  { sdp: localSdp, recovery: observed }: Pick<AnswerContent, 'sdp' | 'recovery'>,
  onSent: OnAnswerSent,
): Promise<Accepted> {
  return new Promise((resolve, reject) => {
    const dialog = new ConfirmedDialog(link, srfDialog, {
      localSdp,
      digest: createDigestClient(null),
      observed,
      trunkId: null,
    });
    void dialog.recoveryKnown().then(() => {
      if (dialog.recovery() !== null) catchErrors(link.owner.onFault, () => onSent(dialog));
    });
    let acknowledged = false;
    const timeout = setTimeout(() => {
      reject(lost('no ACK'));
      void dialog.bye();
    }, ACK_TIMEOUT_MS);
    srfDialog.once('ack', ({ body }) => {
      acknowledged = true;
      clearTimeout(timeout);
      void dialog.recoveryKnown().then(() => {
        resolve({ dialog, ackSdp: body === '' ? null : body });
        dialog.handedOver();
      });
    });
    dialog.onEnded((cause) => {
      clearTimeout(timeout);
      if (acknowledged) return;
      if (cause === 'remote_bye') return resolve({ dialog, ackSdp: null });
      reject(lost('no ACK'));
      // No other code holds this dialog.
      if (cause === 'lost') void dialog.endIfOrphaned();
    });
  });
}

/** Matches the servers' error texts for a response after the final response. */
function isTransactionGone(error: unknown): boolean {
  return /transaction|unanswered request/i.test(String(error));
}

function lost(message: string): SignallingError {
  return new SignallingError('transaction_lost', message);
}
