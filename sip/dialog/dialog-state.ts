import { formatCSeq, parseCSeq } from '../message/cseq.ts';
import { getHeader, getListValues } from '../message/headers.ts';
import { parseAddressList, parseNameAddress, tagOf } from '../message/name-address.ts';
import { getParameter } from '../message/parameters.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';
import { parseUri } from '../message/uri.ts';
import type { Hop } from '../transport/transport-address.ts';

/** A dialog as immutable data (RFC 3261 §12). */
export interface DialogState {
  readonly callId: string;
  readonly localTag: string;
  /** '' for a peer of RFC 2543 without tags. */
  readonly remoteTag: string;
  /** Whole From and To values of our requests, with tags. */
  readonly localUri: string;
  readonly remoteUri: string;
  readonly localCseq: number;
  /** null before the first request of the peer. */
  readonly remoteCseq: number | null;
  /** Name-addrs in the order of our requests. */
  readonly routeSet: readonly string[];
  readonly remoteTarget: string;
  /** The source of the dialog's last message. */
  readonly source: Hop;
}

/** drachtio's dialog id: Call-ID, and the From tag of the request that created the dialog. */
export type DialogId = string;

export function dialogId(callId: string, fromTag: string): DialogId {
  return `${callId};from-tag=${fromTag}`;
}

/** The key that the requests of both sides share (RFC 3261 §12). */
export function dialogKey(callId: string, localTag: string, remoteTag: string): string {
  return `${callId}\n${localTag}\n${remoteTag}`;
}

/** The dialog of the UAS (RFC 3261 §12.1.1). `to` is the To of the 2xx, with our tag. */
export function makeUasDialog(invite: SipRequest, to: string, source: Hop): DialogState {
  const from = getHeader(invite.headers, 'From') ?? '';
  return {
    callId: getHeader(invite.headers, 'Call-ID') ?? '',
    localTag: tagOf(to) ?? '',
    remoteTag: tagOf(from) ?? '',
    localUri: to,
    remoteUri: from,
    localCseq: 0,
    remoteCseq: cseqNumberOf(invite),
    routeSet: getListValues(invite.headers, 'Record-Route'),
    remoteTarget: contactOf(invite.headers) ?? addressOf(from),
    source,
  };
}

/** The dialog of the UAC (RFC 3261 §12.1.2). */
export function makeUacDialog(invite: SipRequest, response: SipResponse, source: Hop): DialogState {
  const from = getHeader(invite.headers, 'From') ?? '';
  const to = getHeader(response.headers, 'To') ?? '';
  return {
    callId: getHeader(invite.headers, 'Call-ID') ?? '',
    localTag: tagOf(from) ?? '',
    remoteTag: tagOf(to) ?? '',
    localUri: from,
    remoteUri: to,
    localCseq: cseqNumberOf(invite),
    remoteCseq: null,
    routeSet: getListValues(response.headers, 'Record-Route').reverse(),
    remoteTarget: contactOf(response.headers) ?? invite.uri,
    source,
  };
}

export function dialogKeyOf(dialog: DialogState): string {
  return dialogKey(dialog.callId, dialog.localTag, dialog.remoteTag);
}

/** The key of the dialog that a request of the peer belongs to. */
export function dialogKeyOfRequest(request: SipRequest): string {
  const { headers } = request;
  const local = tagOf(getHeader(headers, 'To') ?? '') ?? '';
  return dialogKey(getHeader(headers, 'Call-ID') ?? '', local, tagOf(getHeader(headers, 'From') ?? '') ?? '');
}

/** null for a request with an old CSeq, which gets a 500 (RFC 3261 §12.2.2). */
export function acceptRequest(dialog: DialogState, request: SipRequest, source: Hop): DialogState | null {
  const number = cseqNumberOf(request);
  if (dialog.remoteCseq !== null && number <= dialog.remoteCseq) return null;
  return { ...dialog, remoteCseq: number, source };
}

/** Updates the remote target from a re-INVITE, an UPDATE, or the 2xx to one (RFC 3261 §12.2). */
export function refreshTarget(dialog: DialogState, headers: readonly SipHeader[]): DialogState {
  const contact = contactOf(headers);
  return contact === null || contact === dialog.remoteTarget ? dialog : { ...dialog, remoteTarget: contact };
}

/** Request-URI, Route and next hop of our request (RFC 3261 §12.2.1.1). */
export interface RequestRoute {
  readonly requestUri: string;
  readonly routes: readonly string[];
  /** The URI that the request is sent to. */
  readonly nextHop: string;
}

export function routeOf(dialog: DialogState): RequestRoute {
  const [first, ...others] = dialog.routeSet;
  if (first === undefined) return { requestUri: dialog.remoteTarget, routes: [], nextHop: dialog.remoteTarget };
  const firstUri = addressOf(first);
  if (isLooseRouter(firstUri)) {
    return { requestUri: dialog.remoteTarget, routes: dialog.routeSet, nextHop: firstUri };
  }
  return { requestUri: firstUri, routes: [...others, `<${dialog.remoteTarget}>`], nextHop: firstUri };
}

/**
 * Our request inside the dialog, without Via and Contact. `cseq` is a parameter because an ACK repeats its INVITE's.
 */
export function makeRequest(
  dialog: DialogState,
  method: string,
  cseq: number,
  extra: readonly SipHeader[],
  body: Uint8Array,
): SipRequest {
  const { requestUri, routes } = routeOf(dialog);
  const headers: SipHeader[] = [
    ...routes.map((value) => ({ name: 'Route', value })),
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: dialog.localUri },
    { name: 'To', value: dialog.remoteUri },
    { name: 'Call-ID', value: dialog.callId },
    { name: 'CSeq', value: formatCSeq({ number: cseq, method }) },
    ...extra,
  ];
  return { kind: 'request', method, uri: requestUri, headers, body };
}

/** Appends a tag as text, because peers compare the returned header with the sent one. */
export function withTag(address: string, tag: string): string {
  return `${address};tag=${tag}`;
}

export function cseqNumberOf(message: SipRequest | SipResponse): number {
  return parseCSeq(getHeader(message.headers, 'CSeq') ?? '')?.number ?? 0;
}

/** The URI of the first Contact; null without one, or for `*`. */
export function contactOf(headers: readonly SipHeader[]): string | null {
  const [contact] = parseAddressList(headers, 'Contact') ?? [];
  return contact?.uri ?? null;
}

function addressOf(value: string): string {
  return parseNameAddress(value)?.uri ?? '';
}

function isLooseRouter(uriText: string): boolean {
  const uri = parseUri(uriText);
  return uri !== null && getParameter(uri.parameters, 'lr') !== null;
}

/** The id of the dialog that a new request would create. */
export function dialogIdOfRequest(request: SipRequest): string {
  return dialogId(getHeader(request.headers, 'Call-ID') ?? '', tagOf(getHeader(request.headers, 'From') ?? '') ?? '');
}
