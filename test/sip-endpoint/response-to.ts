import { getHeaderLines } from '../../sip/message/headers.ts';
import { tagOf } from '../../sip/message/name-address.ts';
import type { SipHeader, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';

export interface ResponseOptions {
  readonly reason?: string;
  /** Added to a To without a tag, except in a 100. */
  readonly tag?: string;
  /** Further headers, after those copied from the request. */
  readonly headers?: readonly SipHeader[];
  /** A session description; empty: the response has no body. */
  readonly sdp?: string;
}

const COPIED = ['Via', 'From', 'To', 'Call-ID', 'CSeq'];
const encoder = new TextEncoder();

/** A response with the headers that it copies from the request (RFC 3261 §8.2.6.2). */
export function responseTo(request: SipRequest, status: number, options: ResponseOptions = {}): SipResponse {
  const { reason = 'Test', tag = null, headers = [], sdp = '' } = options;
  const copied = COPIED.flatMap((name) =>
    getHeaderLines(request.headers, name).map((value) => ({
      name,
      value: name === 'To' && tag !== null && status > 100 && tagOf(value) === null ? `${value};tag=${tag}` : value,
    })),
  );
  const type = sdp === '' ? [] : [{ name: 'Content-Type', value: 'application/sdp' }];
  return { kind: 'response', status, reason, headers: [...copied, ...headers, ...type], body: encoder.encode(sdp) };
}
