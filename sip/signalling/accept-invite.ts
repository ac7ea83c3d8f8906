import { createDigestClient } from '../authentication/create-digest-client.ts';
import { ALLOW } from '../message/capabilities.ts';
import { catchFaults } from './catch-faults.ts';
import { ConfirmedDialog } from './confirmed-dialog.ts';
import type { ServerLink } from './server-link.ts';
import { SignallingError } from './signalling-error.ts';
import type { SrfDialog, SrfRequest, SrfResponse } from './srf-client.ts';

/** The server ends a dialog without an ACK after 64·T1 = 32 s (RFC 3261 §13.3.1.4); a little later we do. */
const ACK_TIMEOUT_MS = 35_000;

/** A call that was answered, and what the ACK said. */
export interface Accepted {
  readonly dialog: ConfirmedDialog;
  /** The SDP of the ACK; null where it had none, or a BYE came instead of it. */
  readonly ackSdp: string | null;
}

/** What the 200 says. */
export interface AnswerContent {
  readonly sdp: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Told once the 200 has gone and the server has said how the dialog is ended by somebody else. */
export type OnAnswerSent = (dialog: Pick<ConfirmedDialog, 'sipCallId' | 'recovery'>) => void;

/**
 * Sends the 200 and awaits the ACK. A peer that hangs up at once, without an ACK, was answered too.
 * @returns null where the server knows the transaction no more: the peer's CANCEL was faster than the 200.
 * @throws SignallingError `transaction_lost` where no ACK came or the server died.
 */
export function acceptInvite(
  link: ServerLink,
  req: SrfRequest,
  res: SrfResponse,
  { sdp, headers: more }: AnswerContent,
  onSent: OnAnswerSent,
): Promise<Accepted | null> {
  return new Promise((resolve, reject) => {
    const forget = link.onLost(() => reject(lost('the SIP server was lost before the ACK')));
    const headers = { 'Content-Type': 'application/sdp', Allow: ALLOW, ...more };
    link.srf.createUAS(req, res, { localSdp: sdp, headers }, (error, srfDialog) => {
      if (srfDialog !== undefined) return awaitAck(link, srfDialog, sdp, onSent).then(resolve, reject).finally(forget);
      forget();
      if (isTransactionGone(error)) resolve(null);
      else reject(lost(`the SIP server refused the 200: ${String(error)}`));
    });
  });
}

function awaitAck(link: ServerLink, srfDialog: SrfDialog, sdp: string, onSent: OnAnswerSent): Promise<Accepted> {
  return new Promise((resolve, reject) => {
    const dialog = new ConfirmedDialog(link, srfDialog, sdp, createDigestClient(null));
    void dialog.recoveryKnown().then(() => {
      if (dialog.recovery() !== null) catchFaults(link.owner.onFault, () => onSent(dialog));
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
      // Nobody else has this dialog to end it by.
      if (cause === 'lost') void dialog.endIfOrphaned();
    });
  });
}

/** The words of the servers for a response to an INVITE that has its final response already. */
function isTransactionGone(error: unknown): boolean {
  return /transaction|unanswered request/i.test(String(error));
}

function lost(message: string): SignallingError {
  return new SignallingError('transaction_lost', message);
}
