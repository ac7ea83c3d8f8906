import { getHeader, getListValues } from '../message/headers.ts';
import { getParameter, parseParameters } from '../message/parameters.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';

/** A session that ends unless it is refreshed (RFC 4028). */
export interface SessionInterval {
  readonly seconds: number;
  /** The side that refreshes. */
  readonly refresher: 'local' | 'remote';
}

/** The shortest allowed interval, and the recommended one (RFC 4028 §4). */
export const MIN_SE_SECONDS = 90;
const SESSION_SECONDS = 1_800;
/** A peer that demands more (RFC 4028 sets no bound) gets no session timer: calls end long before. */
const SESSION_SECONDS_MAX = 86_400;

/** How long before its end an unrefreshed session is ended (RFC 4028 §10). */
export function graceSeconds({ seconds }: SessionInterval): number {
  return Math.min(32, Math.floor(seconds / 3));
}

/** The session headers of our request that makes or refreshes a session (RFC 4028 §7.1, §7.4). */
export function sessionExpiresHeaders(interval: SessionInterval | null, minSeconds = MIN_SE_SECONDS): SipHeader[] {
  const seconds = Math.max(interval?.seconds ?? SESSION_SECONDS, minSeconds);
  const refresher = interval === null ? '' : `;refresher=${interval.refresher === 'local' ? 'uac' : 'uas'}`;
  return [
    { name: 'Session-Expires', value: `${seconds}${refresher}` },
    { name: 'Min-SE', value: String(minSeconds) },
  ];
}

/** The interval that a 422 demands (RFC 4028 §7.3); null without one, or beyond our maximum. */
export function minSeSeconds(response: SipResponse): number | null {
  const seconds = secondsOf(getHeader(response.headers, 'Min-SE') ?? '');
  return seconds === null || seconds < MIN_SE_SECONDS || seconds > SESSION_SECONDS_MAX ? null : seconds;
}

/** The interval agreed by the 2xx to our request (RFC 4028 §7.2); null if the session has no timer. */
export function agreedInterval(response: SipResponse): SessionInterval | null {
  const requested = sessionExpires(response.headers);
  if (requested === null || !isUsable(requested.seconds)) return null;
  return { seconds: requested.seconds, refresher: requested.refresher === 'uas' ? 'remote' : 'local' };
}

export type IntervalNegotiation =
  | { readonly type: 'none' }
  /** To be refused with 422 (RFC 4028 §9). */
  | { readonly type: 'too_small' }
  | { readonly type: 'agreed'; readonly interval: SessionInterval; readonly headers: readonly SipHeader[] };

/**
 * Our answer to a peer's INVITE or UPDATE (RFC 4028 §9). A peer that supports timers keeps the interval of its session
 * unless it asks for another. A peer that does not cannot refresh, so we do.
 */
export function negotiateInterval({ headers }: SipRequest, current: SessionInterval | null): IntervalNegotiation {
  const supportsTimer = [...getListValues(headers, 'Supported'), ...getListValues(headers, 'Require')].includes(
    'timer',
  );
  const repeated = supportsTimer && current !== null ? repeatedInterval(current) : null;
  const requested = sessionExpires(headers) ?? repeated;
  if (requested === null) return { type: 'none' };
  // A proxy inserted it, and the caller does not support timers: a 422 would have no effect.
  if (requested.seconds < MIN_SE_SECONDS) return supportsTimer ? { type: 'too_small' } : { type: 'none' };
  const least = Math.max(MIN_SE_SECONDS, secondsOf(getHeader(headers, 'Min-SE') ?? '') ?? 0);
  const seconds = Math.min(requested.seconds, Math.max(SESSION_SECONDS, least));
  if (!isUsable(seconds)) return { type: 'none' };
  const refresher = supportsTimer ? (requested.refresher ?? 'uac') : 'uas';
  const required = refresher === 'uac' ? [{ name: 'Require', value: 'timer' }] : [];
  return {
    type: 'agreed',
    interval: { seconds, refresher: refresher === 'uac' ? 'remote' : 'local' },
    headers: [...required, { name: 'Session-Expires', value: `${seconds};refresher=${refresher}` }],
  };
}

interface RequestedInterval {
  readonly seconds: number;
  readonly refresher: 'uac' | 'uas' | null;
}

function repeatedInterval({ seconds, refresher }: SessionInterval): RequestedInterval {
  return { seconds, refresher: refresher === 'remote' ? 'uac' : 'uas' };
}

function sessionExpires(headers: readonly SipHeader[]): RequestedInterval | null {
  const [, digits = '', rest = ''] = /^(\d+)\s*(.*)$/.exec(getHeader(headers, 'Session-Expires') ?? '') ?? [];
  const seconds = secondsOf(digits);
  if (seconds === null) return null;
  const refresher = getParameter(parseParameters(rest) ?? [], 'refresher')?.toLowerCase();
  return { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : null };
}

/** Delta-seconds without parameters; null if malformed. */
function secondsOf(value: string): number | null {
  const [, digits] = /^(\d{1,10})\s*(?:;.*)?$/.exec(value) ?? [];
  return digits === undefined ? null : Number(digits);
}

function isUsable(seconds: number): boolean {
  return seconds >= MIN_SE_SECONDS && seconds <= SESSION_SECONDS_MAX;
}
