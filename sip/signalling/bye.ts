import type { ServerLink } from './server-link.ts';
import type { SrfDialog } from './srf-client.ts';

/** The server gives a BYE up after 64·T1 = 32 s (RFC 3261 §17.1.2.2); a little later its word is waited for no longer. */
const BYE_TIMEOUT_MS = 33_000;

/** Sends a BYE. Resolves when it was answered, given up, or the server was lost; never rejects. */
export function sendBye(link: ServerLink, dialog: SrfDialog): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timeout);
      forget();
      link.srf.removeDialog(dialog);
      resolve();
    };
    const timeout = setTimeout(finish, BYE_TIMEOUT_MS);
    const forget = link.onLost(finish);
    if (link.alive) dialog.destroy({}, finish);
  });
}
