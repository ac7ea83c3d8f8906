import { withTag } from '../dialog/dialog-state.ts';
import type { ApplicationMessage } from '../dialog/sip-application.ts';
import { SUPPORTED } from '../message/capabilities.ts';
import { formatCSeq, parseCSeq } from '../message/cseq.ts';
import { addMissing, canonicalName, getHeader } from '../message/headers.ts';
import { parseNameAddress, tagOf } from '../message/name-address.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import { isToken } from '../message/token.ts';
import { parseUri } from '../message/uri.ts';
import { sessionExpiresHeaders } from '../session-timer/session-interval.ts';
import { withContentType } from './compose-response.ts';
import { type PeerAddress, userOf } from './local-identity.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** Headers of a new request that are written first and not copied again. */
const LEADING = ['from', 'to', 'call-id', 'cseq', 'contact', 'content-length'];

/** Headers that follow from the dialog. The application may not set them inside one. */
const DIALOG_HEADERS = ['from', 'to', 'call-id', 'cseq'];

/** Requests that need a Contact (RFC 3261 §8.1.1.8, and RFC 3515, 6665, 3311 for the others). */
const WITH_CONTACT = ['INVITE', 'UPDATE', 'REFER', 'SUBSCRIBE', 'NOTIFY', 'OPTIONS'];

type ApplicationRequest = Extract<ApplicationMessage, { kind: 'request' }>;

/**
 * A request outside any dialog (RFC 3261 §8.1.1). The application may set Call-ID, From with its tag and CSeq, as when
 * it repeats a challenged request.
 * @returns the request; or its fault, as text.
 */
export function composeNewRequest(
  core: UserAgentCore,
  applicationRequest: ApplicationRequest,
  peer: PeerAddress,
): SipRequest | string {
  const from = getHeader(applicationRequest.headers, 'From') ?? core.identity.address;
  const to = getHeader(applicationRequest.headers, 'To') ?? `<${applicationRequest.uri}>`;
  const parsedTo = parseNameAddress(to);
  if (parseNameAddress(from) === null) return 'malformed From';
  if (parsedTo === null || tagOf(to) !== null) return 'malformed To, or a To with a tag';
  const givenTag = tagOf(from);
  if (givenTag !== null && !isToken(givenTag)) return 'malformed From';
  const callId = getHeader(applicationRequest.headers, 'Call-ID') ?? core.newId();
  if (!/^[^\s|]{1,255}$/.test(callId)) return 'malformed Call-ID';
  const givenCseq = getHeader(applicationRequest.headers, 'CSeq');
  const cseq = givenCseq === null ? { number: 1, method: applicationRequest.method } : parseCSeq(givenCseq);
  if (cseq === null || cseq.method !== applicationRequest.method) return 'malformed CSeq';
  const headers: SipHeader[] = [
    { name: 'Via', value: core.identity.via(peer, core.newId()) },
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: givenTag === null ? withTag(from, core.newId()) : from },
    { name: 'To', value: to },
    { name: 'Call-ID', value: callId },
    { name: 'CSeq', value: formatCSeq(cseq) },
    ...contactFor(core, applicationRequest, peer),
    ...applicationRequest.headers.filter(({ name }) => !LEADING.includes(canonicalName(name))),
  ];
  const { method, uri, body } = applicationRequest;
  const more =
    method === 'INVITE' ? [{ name: 'Supported', value: SUPPORTED.join(', ') }, ...sessionExpiresHeaders(null)] : [];
  return { kind: 'request', method, uri, headers: withContentType(addMissing(headers, more), body), body };
}

/** The additional headers of the application's in-dialog request; or the fault, as text. */
export function extraHeaders(
  core: UserAgentCore,
  applicationRequest: ApplicationRequest,
  peer: PeerAddress,
): SipHeader[] | string {
  const dialogHeader = applicationRequest.headers.find(({ name }) => DIALOG_HEADERS.includes(canonicalName(name)));
  if (dialogHeader !== undefined) return `a ${dialogHeader.name} header inside a dialog`;
  const custom = applicationRequest.headers.filter(({ name }) => !LEADING.includes(canonicalName(name)));
  return withContentType([...contactFor(core, applicationRequest, peer), ...custom], applicationRequest.body);
}

/**
 * Our Contact. The application may set its user part; host, port and transport are ours. A REGISTER may name the contact of another
 * process instead, to remove it (RFC 3261 §10.2.2).
 */
function contactFor(core: UserAgentCore, applicationRequest: ApplicationRequest, peer: PeerAddress): SipHeader[] {
  const contact = getHeader(applicationRequest.headers, 'Contact');
  if (contact === null && !WITH_CONTACT.includes(applicationRequest.method)) return [];
  const uri = parseNameAddress(contact ?? '')?.uri ?? '';
  if (contact !== null && applicationRequest.method === 'REGISTER' && !isPlaceholder(uri))
    return [{ name: 'Contact', value: contact }];
  const user = userOf(uri);
  return [{ name: 'Contact', value: core.identity.contact(peer, user) }];
}

/** Applications write `localhost` where our address belongs, as for a drachtio-server. */
function isPlaceholder(uriText: string): boolean {
  const uri = parseUri(uriText);
  return uri === null || uri.scheme === 'tel' || uri.host === 'localhost';
}
