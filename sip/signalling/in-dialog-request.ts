import type { DigestClient } from '../authentication/digest-client.ts';
import { answerChallenge, isChallenge } from './answer-challenge.ts';
import type { ServerLink } from './server-link.ts';
import type { SrfDialog, SrfDialogRequest, SrfResult } from './srf-client.ts';

/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/**
 * Sends a request inside a dialog, and repeats it for each challenge that can be answered.
 * @returns the final response; null without one. Never rejects. A challenge that cannot be answered is returned as it
 * is.
 */
export async function requestInDialog(
  link: ServerLink,
  dialog: SrfDialog,
  digest: DigestClient,
  order: SrfDialogRequest,
): Promise<SrfResult | null> {
  const exchange = digest.exchange();
  for (let headers = order.headers ?? {}; ; ) {
    const result = await requestOnce(link, dialog, { ...order, headers: { ...headers } });
    if (result === null || !isChallenge(result.status) || result.req === undefined) return result;
    const outcome = answerChallenge(exchange, result.req, result);
    if (outcome.type === 'refused') return result;
    headers = { ...order.headers, ...outcome.headers };
  }
}

function requestOnce(link: ServerLink, dialog: SrfDialog, order: SrfDialogRequest): Promise<SrfResult | null> {
  return new Promise((resolve) => {
    const finish = (result: SrfResult | null): void => {
      clearTimeout(timeout);
      forget();
      resolve(result);
    };
    const timeout = setTimeout(() => finish(null), ANSWER_TIMEOUT_MS);
    const forget = link.onLost(() => finish(null));
    if (!link.alive) return;
    dialog.request(order, (_error, result) => {
      if (result === undefined) finish(null);
      else if (result.status >= 200) finish(result);
    });
  });
}
