import { formatCSeq, parseCSeq } from '../message/cseq.ts';
import { getHeader, getHeaderLines, getListValues } from '../message/headers.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';

/** The ACK for a final response other than 2xx (RFC 3261 §17.1.1.3): the INVITE's topmost Via and Route, the response's To. */
export function makeNon2xxAck(invite: SipRequest, response: SipResponse): SipRequest {
  const headers: SipHeader[] = [
    { name: 'Via', value: getListValues(invite.headers, 'Via')[0] ?? '' },
    ...getHeaderLines(invite.headers, 'Route').map((value) => ({ name: 'Route', value })),
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: getHeader(invite.headers, 'From') ?? '' },
    { name: 'To', value: getHeader(response.headers, 'To') ?? '' },
    { name: 'Call-ID', value: getHeader(invite.headers, 'Call-ID') ?? '' },
    { name: 'CSeq', value: formatCSeq({ number: cseqNumber(invite), method: 'ACK' }) },
  ];
  return { kind: 'request', method: 'ACK', uri: invite.uri, headers, body: new Uint8Array(0) };
}

function cseqNumber(request: SipRequest): number {
  return parseCSeq(getHeader(request.headers, 'CSeq') ?? '')?.number ?? 0;
}
