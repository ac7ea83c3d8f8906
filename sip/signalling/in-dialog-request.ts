import type { DigestClient } from '../authentication/digest-client.ts';
import { answerChallenge, isChallenge } from './answer-challenge.ts';
import type { ServerLink } from './server-link.ts';
import type { SrfDialog, SrfDialogRequest, SrfResult } from './srf-client.ts';

/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/**
 * Sends a request inside a dialog, and repeats it for each challenge that can be answered.
 * @returns the final response, or a challenge that cannot be answered; null without a response. Never rejects.
 */
export async function requestInDialog(
  link: ServerLink,
  dialog: SrfDialog,
  digest: DigestClient,
  request: SrfDialogRequest,
): Promise<SrfResult | null> {
  const exchange = digest.exchange();
  for (let headers = request.headers ?? {}; ; ) {
    const result = await requestOnce(link, dialog, { ...request, headers: { ...headers } });
    if (result === null || !isChallenge(result.status) || result.req === undefined) return result;
    const outcome = answerChallenge(exchange, result.req, result);
    if (outcome.type === 'refused') return result;
    headers = { ...request.headers, ...outcome.headers };
  }
}

function requestOnce(link: ServerLink, dialog: SrfDialog, request: SrfDialogRequest): Promise<SrfResult | null> {
  return new Promise((resolve) => {
    const finish = (result: SrfResult | null): void => {
      clearTimeout(timeout);
      removeListener();
      resolve(result);
    };
    const timeout = setTimeout(() => finish(null), ANSWER_TIMEOUT_MS);
    const removeListener = link.onLost(() => finish(null));
    if (!link.alive) return;
    dialog.request(request, (_error, result) => {
      if (result === undefined) finish(null);
      else if (result.status >= 200) finish(result);
    });
  });
}
