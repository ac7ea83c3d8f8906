import { type DialogRecovery, dialogFromRecovery } from '../dialog/dialog-recovery.ts';
import { makeRequest } from '../dialog/dialog-state.ts';
import type { SipHeader } from '../message/sip-message.ts';
import type { ServerLink } from './server-link.ts';
import { headersByName } from './session-headers.ts';

/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/**
 * Sends the BYE of an orphaned dialog as a new request: for a server that keeps no dialogs of ours, as a
 * drachtio-server after its restart. Resolves when it has been answered or abandoned, or the server was lost. Rejects
 * if the server refuses to send it.
 */
export function sendOrphanBye(link: ServerLink, recovery: DialogRecovery): Promise<void> {
  if (!link.alive) return Promise.resolve();
  const dialog = dialogFromRecovery(recovery);
  const { uri, headers } = makeRequest(dialog, 'BYE', dialog.localCseq + 1, [], new Uint8Array(0));
  const request = { method: 'BYE', headers: headersByName(headers.filter(notRoute)) };
  return new Promise((resolve, reject) => {
    const finish = (error?: unknown): void => {
      clearTimeout(timeout);
      removeListener();
      if (error === undefined) resolve();
      else reject(error);
    };
    const timeout = setTimeout(finish, ANSWER_TIMEOUT_MS);
    const removeListener = link.onLost(finish);
    try {
      link.srf.request(withRoutes(uri, headers), request, (error, sent) => {
        if (sent === undefined) return finish(error);
        sent.on('response', ({ status }) => {
          if (status >= 200) finish();
        });
      });
    } catch (error) {
      finish(error);
    }
  });
}

function notRoute({ name }: SipHeader): boolean {
  return name !== 'Route';
}

/**
 * A drachtio-server drops a Route header of the application. It makes headers of a request from those of its URI (RFC
 * 3261 §19.1.5), Route included.
 */
function withRoutes(uri: string, headers: readonly SipHeader[]): string {
  const routes = headers.filter((header) => !notRoute(header)).map(({ value }) => encodeURIComponent(value));
  return routes.length === 0 ? uri : `${uri}?Route=${routes.join('%2C')}`;
}
