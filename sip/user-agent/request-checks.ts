import { contactOf } from '../dialog/dialog-state.ts';
import type { LiveDialog } from '../dialog/dialog-table.ts';
import type { SipApplication } from '../dialog/sip-application.ts';
import { ALLOW, ALLOWED_METHODS, SUPPORTED } from '../message/capabilities.ts';
import { getHeader, getListValues } from '../message/headers.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import { MIN_SE_SECONDS } from '../session-timer/session-interval.ts';
import type { SessionRefresher } from '../session-timer/session-refresher.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** Methods that require a dialog (RFC 3261 §12.2.2, §15.1.2). REFER and MESSAGE do not. */
const INSIDE_A_DIALOG = ['BYE', 'INFO', 'NOTIFY', 'PRACK', 'UPDATE'];

/** A final response that the application does not see. */
export interface AutomaticResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly SipHeader[];
}

/** The server's own response to a request outside any dialog. `accepted`: the application handles it. */
export type NewRequestCheck =
  | { readonly type: 'refused'; readonly refusal: AutomaticResponse }
  | { readonly type: 'accepted'; readonly application: SipApplication };

/** @param isMerged the request arrived by another path before, or has the ids of an existing dialog (RFC 3261 §8.2.2.2). */
export function checkNewRequest(
  core: UserAgentCore,
  sessions: SessionRefresher<LiveDialog>,
  request: SipRequest,
  application: SipApplication | null,
  isMerged: boolean,
): NewRequestCheck {
  const { method, headers } = request;
  const isInvite = method === 'INVITE';
  if (isMerged) return refused(482, 'Request Merged');
  const badExtension = refusalOfExtensions(request);
  if (badExtension !== null) return { type: 'refused', refusal: badExtension };
  if (application === null && method === 'OPTIONS') {
    return refused(200, 'OK', ['Allow', ALLOW, 'Accept', 'application/sdp', 'Supported', SUPPORTED.join(', ')]);
  }
  if (application === null && INSIDE_A_DIALOG.includes(method)) return refused(481, 'Call/Transaction Does Not Exist');
  if (application === null && !isInvite) return refused(405, 'Method Not Allowed', ['Allow', ALLOW]);
  if (application === null || (isInvite && core.dialogs.isFull)) {
    return refused(503, 'Service Unavailable', ['Retry-After', '5']);
  }
  if (isInvite && contactOf(headers) === null) return refused(400, 'Missing Contact');
  const refusal = isInvite ? refusalOfInterval(sessions, request, null) : null;
  return refusal === null ? { type: 'accepted', application } : { type: 'refused', refusal };
}

/** The refusal of a request in a dialog: another method, an unknown required extension, or an INVITE or UPDATE at the wrong time. */
export function refusalInDialog(
  sessions: SessionRefresher<LiveDialog>,
  request: SipRequest,
  dialog: LiveDialog,
): AutomaticResponse | null {
  const { method, body } = request;
  if (!ALLOWED_METHODS.has(method)) return make(405, 'Method Not Allowed', ['Allow', ALLOW]);
  // A BYE always ends the call, since its sender has left.
  const badExtension = method === 'BYE' ? null : refusalOfExtensions(request);
  if (badExtension !== null) return badExtension;
  if (method !== 'INVITE' && method !== 'UPDATE') return null;
  if (method === 'INVITE' || body.length > 0) {
    // Crossing offers (RFC 3261 §14.2, RFC 3311 §5.2): both sides wait and retry.
    if (dialog.localInvitePending) return make(491, 'Request Pending');
    // The peer's previous offer has no answer yet.
    if (dialog.remoteInvitePending) return make(500, 'Server Internal Error', ['Retry-After', '3']);
  }
  return refusalOfInterval(sessions, request, dialog);
}

/** RFC 3261 §8.2.2.3, §12.2.2. Known extensions are never refused. */
function refusalOfExtensions({ headers }: SipRequest): AutomaticResponse | null {
  const unknown = getListValues(headers, 'Require').filter((option) => !SUPPORTED.includes(option.toLowerCase()));
  return unknown.length === 0 ? null : make(420, 'Bad Extension', ['Unsupported', unknown.join(', ')]);
}

/** Refuses a session interval that is too short (RFC 4028 §9). */
function refusalOfInterval(
  sessions: SessionRefresher<LiveDialog>,
  request: SipRequest,
  dialog: LiveDialog | null,
): AutomaticResponse | null {
  if (sessions.answer(request, dialog).type !== 'too_small') return null;
  return make(422, 'Session Interval Too Small', ['Min-SE', String(MIN_SE_SECONDS)]);
}

/** The state of the early dialog of a callee's request. `none`: unknown dialog. */
export type EarlyState = 'none' | 'refresh' | 'offer_before_answer' | 'offer_after_answer';

/** The response to a callee's request in an early dialog, where only UPDATE is allowed (RFC 3311 §5.2). */
export function earlyRefusal(state: EarlyState, contact: string): AutomaticResponse {
  switch (state) {
    case 'none':
      return make(481, 'Call/Transaction Does Not Exist');
    case 'refresh':
      return make(200, 'OK', ['Contact', contact, 'Allow', ALLOW]);
    case 'offer_before_answer':
      return make(491, 'Request Pending');
    // Media starts with the 2xx. Until then, the first SDP answer is final.
    case 'offer_after_answer':
      return make(488, 'Not Acceptable Here');
  }
}

/** Whether the body is SDP, or may contain it. A body without a type counts as SDP. */
export function hasSessionDescription({ headers, body }: SipRequest): boolean {
  const type = getHeader(headers, 'Content-Type') ?? 'application/sdp';
  return body.length > 0 && /^\s*(?:application\/sdp|multipart\/)/i.test(type);
}

/** @param flat alternating names and values. */
export function headerList(flat: readonly string[]): SipHeader[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: flat[index + 1] ?? '' }] : []));
}

function make(status: number, reason: string, flat: readonly string[] = []): AutomaticResponse {
  return { status, reason, headers: headerList(flat) };
}

function refused(...response: Parameters<typeof make>): NewRequestCheck {
  return { type: 'refused', refusal: make(...response) };
}
