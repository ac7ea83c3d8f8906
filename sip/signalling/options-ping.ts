import { formatUri } from '../message/uri.ts';
import { isConcealedFailure } from './concealed-failure.ts';
import { bracketed, checkedUri } from './invite-request.ts';
import { NO_ANSWER } from './no-answer.ts';
import type { ServerLink } from './server-link.ts';
import type { PingOutcome, TrunkAddress } from './signalling.ts';
import { proxiesOf } from './trunk-proxies.ts';

/** Over UDP the OPTIONS is sent four times in this time: at 0, 0.5, 1.5 and 3.5 s (RFC 3261 §17.1.2.2). */
export const PING_TIMEOUT_MS = 5_000;

/** Sends one OPTIONS over the SIP server, on the same path as calls. Never rejects. */
export async function sendPing(link: ServerLink | null, trunk: TrunkAddress): Promise<PingOutcome> {
  const unanswered = (reason: string): PingOutcome => ({ type: 'unanswered', reason });
  if (link === null) return unanswered('no SIP server');
  const proxies = await proxiesOf(link, trunk);
  if (typeof proxies === 'string') return unanswered(proxies);
  const [proxy] = proxies;
  const request = { method: 'OPTIONS', headers: { Accept: 'application/sdp' }, ...proxy };
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    const finish = (outcome: PingOutcome): void => {
      clearTimeout(timeout);
      removeListener();
      resolve(outcome);
    };
    const timeout = setTimeout(() => finish(unanswered(NO_ANSWER)), PING_TIMEOUT_MS);
    const removeListener = link.onLost(() => finish(unanswered('the SIP server was lost')));
    try {
      link.srf.request(uriOf(trunk), request, (error, sent) => {
        if (sent === undefined)
          return isConcealedFailure(link, proxy, null) ? undefined : finish(unanswered(String(error)));
        sent.on('response', ({ status }) => {
          if (status < 200 || isConcealedFailure(link, proxy, status)) return;
          finish({ type: 'answered', status, roundTripMs: performance.now() - startedAtMs });
        });
      });
    } catch (error) {
      finish(unanswered(error instanceof Error ? error.message : String(error)));
    }
  });
}

function uriOf({ host, port, transport }: TrunkAddress): string {
  const parameters = transport === 'udp' ? [] : [{ name: 'transport', value: transport }];
  const target = { scheme: 'sip', user: null, password: null, port, parameters, headers: [] } as const;
  return checkedUri(formatUri({ ...target, host: bracketed(host) }));
}
