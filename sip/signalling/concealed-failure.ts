import { targetOf } from '../transport/resolve-target.ts';
import type { ServerLink } from './server-link.ts';
import type { TrunkProxy } from './trunk-proxies.ts';

/** Responses that the server makes itself where it reaches no peer (RFC 3261 §8.1.3.1). */
export const UNREACHED_STATUSES: readonly number[] = [408, 503];

/**
 * Whether the failure of a request to a concealed address must look like a missing response, because the server does not hide it
 * itself. A 408 or 503 of the peer looks the same as one of the server.
 * @param status null: the request was not sent.
 */
export function isConcealedFailure({ server }: ServerLink, { proxy }: TrunkProxy, status: number | null): boolean {
  const address = proxy === undefined ? undefined : targetOf(proxy)?.host;
  if (address === undefined || server.isConcealed?.(address) !== true) return false;
  return status === null || UNREACHED_STATUSES.includes(status);
}
