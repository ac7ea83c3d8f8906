import { withTag } from '../dialog/dialog-state.ts';
import type { ApplicationMessage } from '../dialog/sip-application.ts';
import { ALLOW, SUPPORTED } from '../message/capabilities.ts';
import { canonicalName, getHeader, getHeaderLines } from '../message/headers.ts';
import { parseNameAddress, tagOf } from '../message/name-address.ts';
import { getParameter } from '../message/parameters.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';
import { isToken } from '../message/token.ts';

const NO_BODY = new Uint8Array(0);

/** Headers of a response that come from its request or from the server, never from the application. */
const SERVER_HEADERS = [
  'via',
  'from',
  'to',
  'call-id',
  'cseq',
  'contact',
  'record-route',
  'content-length',
  'session-expires',
];

/** A response of this server itself (RFC 3261 §8.2.6.2). */
export function makeResponse(
  request: SipRequest,
  status: number,
  reason: string,
  localTag: string,
  extra: readonly SipHeader[] = [],
): SipResponse {
  return { kind: 'response', status, reason, headers: [...copied(request, status, localTag), ...extra], body: NO_BODY };
}

/**
 * The application's response to a peer's request: its headers, after those of the request and the server.
 * @param contact our Contact, added if the response makes or refreshes a dialog.
 */
export function composeResponse(
  request: SipRequest,
  applicationResponse: Extract<ApplicationMessage, { kind: 'response' }>,
  localTag: string,
  contact: string,
): SipResponse {
  const { status, reason, body } = applicationResponse;
  const headers = copied(request, status, localTag);
  const makesDialog = request.method === 'INVITE' && status > 100 && status < 300;
  if (makesDialog) {
    for (const value of getHeaderLines(request.headers, 'Record-Route')) headers.push({ name: 'Record-Route', value });
  }
  if (makesDialog || (request.method === 'UPDATE' && status < 300)) headers.push({ name: 'Contact', value: contact });
  // The application sets the Contact of a redirection (RFC 3261 §8.1.3.4).
  const dropped = status >= 300 && status < 400 ? SERVER_HEADERS.filter((name) => name !== 'contact') : SERVER_HEADERS;
  headers.push(...applicationResponse.headers.filter(({ name }) => !dropped.includes(canonicalName(name))));
  if (makesDialog && status >= 200 && getHeader(applicationResponse.headers, 'Allow') === null) {
    headers.push({ name: 'Allow', value: ALLOW });
  }
  if (makesDialog && status >= 200 && getHeader(applicationResponse.headers, 'Supported') === null) {
    headers.push({ name: 'Supported', value: SUPPORTED.join(', ') });
  }
  return { kind: 'response', status, reason, headers: withContentType(headers, body), body };
}

/** The tag that the application chose for To; null without a usable one. */
export function chosenTag(applicationResponse: ApplicationMessage): string | null {
  const to = parseNameAddress(getHeader(applicationResponse.headers, 'To') ?? '');
  const tag = to === null ? null : getParameter(to.parameters, 'tag');
  return tag !== null && isToken(tag) ? tag : null;
}

/** Adds the Content-Type of SDP, which `drachtio-srf` omits. */
export function withContentType(headers: readonly SipHeader[], body: Uint8Array): SipHeader[] {
  const isSdp = body[0] === 0x76 && body[1] === 0x3d && body[2] === 0x30;
  if (!isSdp || getHeader(headers, 'Content-Type') !== null) return [...headers];
  return [...headers, { name: 'Content-Type', value: 'application/sdp' }];
}

function copied({ headers }: SipRequest, status: number, localTag: string): SipHeader[] {
  const to = getHeader(headers, 'To') ?? '';
  return [
    ...getHeaderLines(headers, 'Via').map((value) => ({ name: 'Via', value })),
    { name: 'From', value: getHeader(headers, 'From') ?? '' },
    { name: 'To', value: status === 100 || tagOf(to) !== null ? to : withTag(to, localTag) },
    { name: 'Call-ID', value: getHeader(headers, 'Call-ID') ?? '' },
    { name: 'CSeq', value: getHeader(headers, 'CSeq') ?? '' },
  ];
}
