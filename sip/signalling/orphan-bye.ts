import { isIP } from 'node:net';

import { createDigestClient } from '../authentication/create-digest-client.ts';
import type { DigestExchange } from '../authentication/digest-client.ts';
import type { Credentials } from '../authentication/digest-response.ts';
import { type DialogRecovery, dialogFromRecovery } from '../dialog/dialog-recovery.ts';
import { type DialogState, makeRequest } from '../dialog/dialog-state.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { PRIVATE_ADDRESSES } from '../sdp/private-addresses.ts';
import { targetOf } from '../transport/resolve-target.ts';
import { answerChallenge, isChallenge, repeatHeaders } from './answer-challenge.ts';
import { UNREACHED_STATUSES } from './concealed-failure.ts';
import { headersByName } from './headers-by-name.ts';
import type { ServerLink } from './server-link.ts';
import type { SrfRequest, SrfResult } from './srf-client.ts';
import { proxyOf, type TrunkProxy } from './trunk-proxies.ts';

/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/**
 * Sends the BYE of an orphaned dialog as a new request: for a server that keeps no dialogs of ours, as a
 * drachtio-server after its restart. Resolves when it has been answered or abandoned, or the server was lost. Rejects
 * if the server refuses to send it.
 */
export async function sendOrphanBye(
  link: ServerLink,
  recovery: DialogRecovery,
  credentials: Credentials | null,
): Promise<void> {
  const dialog = dialogFromRecovery(recovery);
  const send = (proxy: TrunkProxy) => sendBye(link, dialog, proxy, createDigestClient(credentials).exchange());
  const [first, second] = directionsOf(dialog);
  if (second === undefined) await send(first);
  else if (!(await send(first).catch(() => false))) await send(second);
}

/**
 * The hops for the BYE, in the order of the attempts: along the Route set, else to the Contact and to the source of the dialog's last
 * packet. A private Contact of another address is most likely behind NAT, so the source comes first.
 */
function directionsOf({ routeSet, remoteTarget, source }: DialogState): readonly [TrunkProxy, TrunkProxy?] {
  const target = targetOf(remoteTarget);
  if (routeSet.length > 0 || source.address === '' || target?.host === source.address) return [{}];
  const isBehindNat = target !== null && isIP(target.host) !== 0 && PRIVATE_ADDRESSES.has(target.host);
  return isBehindNat ? [proxyOf(source), {}] : [{}, proxyOf(source)];
}

/**
 * Sends the BYE, and repeats it for each challenge that can be answered.
 * @returns false if it reached no peer. Rejects if the server refuses to send it.
 */
async function sendBye(
  link: ServerLink,
  dialog: DialogState,
  proxy: TrunkProxy,
  exchange: DigestExchange,
): Promise<boolean> {
  const { uri, headers } = makeRequest(dialog, 'BYE', dialog.localCseq + 1, [], new Uint8Array(0));
  const first = headersByName(headers.filter(notRoute));
  for (let sentHeaders = first; ; ) {
    const answer = await sendOnce(link, withRoutes(uri, headers), { method: 'BYE', headers: sentHeaders, ...proxy });
    if (answer === null) return false;
    const { result, sent } = answer;
    if (!isChallenge(result.status)) return !UNREACHED_STATUSES.includes(result.status);
    const outcome = answerChallenge(exchange, sent, result);
    if (outcome.type === 'refused') return true;
    sentHeaders = { ...first, ...repeatHeaders(sent), ...outcome.headers };
  }
}

interface ByeRequest extends TrunkProxy {
  readonly method: 'BYE';
  readonly headers: Record<string, string>;
}

interface FinalAnswer {
  readonly sent: SrfRequest;
  readonly result: SrfResult;
}

/** @returns null without a final response. Rejects if the server refuses to send the request. */
function sendOnce(link: ServerLink, uri: string, request: ByeRequest): Promise<FinalAnswer | null> {
  if (!link.alive) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const release = (): void => {
      clearTimeout(timeout);
      removeListener();
    };
    const finish = (answer: FinalAnswer | null): void => {
      release();
      resolve(answer);
    };
    const fail = (error: unknown): void => {
      release();
      reject(error);
    };
    const timeout = setTimeout(() => finish(null), ANSWER_TIMEOUT_MS);
    const removeListener = link.onLost(() => finish(null));
    try {
      link.srf.request(uri, request, (error, sent) => {
        if (sent === undefined) return fail(error);
        sent.on('response', (result) => {
          if (result.status >= 200) finish({ sent, result });
        });
      });
    } catch (error) {
      fail(error);
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
