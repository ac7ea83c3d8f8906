import type { DigestClient } from '../authentication/digest-client.ts';
import { requestInDialog } from './in-dialog-request.ts';
import type { ServerLink } from './server-link.ts';
import type { SrfDialog } from './srf-client.ts';

/** Sends a BYE. Resolves when it has been answered or abandoned, or the server was lost; never rejects. */
export async function sendBye(link: ServerLink, dialog: SrfDialog, digest: DigestClient): Promise<void> {
  await requestInDialog(link, dialog, digest, { method: 'BYE' });
  link.srf.removeDialog(dialog);
}
