import { parseCSeq } from '../message/cseq.ts';
import { getHeader, getListValues } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import { BRANCH_COOKIE, branchOf, parseVias, type Via } from '../message/via.ts';

/**
 * The key that a request shares with its retransmissions (RFC 3261 §17.2.3): branch, sent-by and method; an ACK has its
 * INVITE's. Without the magic cookie the rules of RFC 2543 apply: Request-URI, From tag, Call-ID, CSeq number and
 * topmost Via, and the To tag, except for INVITE, ACK and CANCEL, whose To tags differ by design.
 * @param method replaces the request's method: `INVITE` finds the INVITE of a CANCEL.
 * @returns null if the topmost Via is malformed.
 */
export function serverKey(request: SipRequest, method: string = request.method): string | null {
  const vias = parseVias(request.headers);
  if (vias === null) return null;
  const [top] = vias;
  const matched = method === 'ACK' ? 'INVITE' : method;
  const branch = branchOf(top);
  if (branch?.startsWith(BRANCH_COOKIE)) return join([branch.toLowerCase(), sentBy(top), matched]);
  const toTag = matched === 'INVITE' || matched === 'CANCEL' ? '' : tagOf(getHeader(request.headers, 'To') ?? '');
  return join([
    'rfc2543',
    request.uri,
    tagOf(getHeader(request.headers, 'From') ?? '') ?? '',
    toTag ?? '',
    getHeader(request.headers, 'Call-ID') ?? '',
    String(parseCSeq(getHeader(request.headers, 'CSeq') ?? '')?.number ?? ''),
    getListValues(request.headers, 'Via')[0] ?? '',
    matched,
  ]);
}

/** The key of our request: our branch and sent-by, and its method (RFC 3261 §17.1.3). */
export function clientKey(via: Via, method: string): string {
  return join([(branchOf(via) ?? '').toLowerCase(), sentBy(via), method]);
}

/** The key of the request that a response answers; null if malformed. */
export function responseKey(response: SipResponse): string | null {
  const vias = parseVias(response.headers);
  const method = parseCSeq(getHeader(response.headers, 'CSeq') ?? '')?.method;
  return vias === null || method === undefined ? null : clientKey(vias[0], method);
}

/** The key that merged requests share: one request by two paths has two branches (RFC 3261 §8.2.2.2). */
export function mergeKey(request: SipRequest): string {
  return join([
    tagOf(getHeader(request.headers, 'From') ?? '') ?? '',
    getHeader(request.headers, 'Call-ID') ?? '',
    getHeader(request.headers, 'CSeq') ?? '',
  ]);
}

function sentBy(via: Via): string {
  return `${via.host.toLowerCase()}:${via.port ?? ''}`;
}

/** No header value contains a line break, so it separates the parts of a key. */
function join(parts: readonly string[]): string {
  return parts.join('\n');
}
