import { isIP } from 'node:net';

import { type DialogRecovery, dialogFromRecovery } from '../dialog/dialog-recovery.ts';
import { type DialogState, makeRequest } from '../dialog/dialog-state.ts';
import type { SipHeader } from '../message/sip-message.ts';
import { PRIVATE_ADDRESSES } from '../sdp/private-addresses.ts';
import { targetOf } from '../transport/resolve-target.ts';
import { UNREACHED_STATUSES } from './concealed-failure.ts';
import type { ServerLink } from './server-link.ts';
import { headersByName } from './session-headers.ts';
import { proxyOf, type TrunkProxy } from './trunk-proxies.ts';

/** Slightly longer than the server's own 64·T1 = 32 s (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 33_000;

/**
 * Sends the BYE of an orphaned dialog as a new request: for a server that keeps no dialogs of ours, as a
 * drachtio-server after its restart. Resolves when it has been answered or abandoned, or the server was lost. Rejects
 * if the server refuses to send it.
 */
export async function sendOrphanBye(link: ServerLink, recovery: DialogRecovery): Promise<void> {
  const dialog = dialogFromRecovery(recovery);
  const [first, second] = directionsOf(dialog);
  if (second === undefined) await sendBye(link, dialog, first);
  else if (!(await sendBye(link, dialog, first).catch(() => false))) await sendBye(link, dialog, second);
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

/** @returns false if the request reached no peer. Rejects if the server refuses to send it. */
function sendBye(link: ServerLink, dialog: DialogState, proxy: TrunkProxy): Promise<boolean> {
  const { uri, headers } = makeRequest(dialog, 'BYE', dialog.localCseq + 1, [], new Uint8Array(0));
  const request = { method: 'BYE', headers: headersByName(headers.filter(notRoute)), ...proxy };
  if (!link.alive) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const release = (): void => {
      clearTimeout(timeout);
      removeListener();
    };
    const finish = (isAnswered: boolean): void => {
      release();
      resolve(isAnswered);
    };
    const fail = (error: unknown): void => {
      release();
      reject(error);
    };
    const timeout = setTimeout(() => finish(false), ANSWER_TIMEOUT_MS);
    const removeListener = link.onLost(() => finish(false));
    try {
      link.srf.request(withRoutes(uri, headers), request, (error, sent) => {
        if (sent === undefined) return fail(error);
        sent.on('response', ({ status }) => {
          if (status >= 200) finish(!UNREACHED_STATUSES.includes(status));
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
