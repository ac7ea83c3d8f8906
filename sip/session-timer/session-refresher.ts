import type { Clock } from '../../base/time/clock.ts';
import { SUPPORTED } from '../message/capabilities.ts';
import { getHeader, getHeaderLines, getListValues } from '../message/headers.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import {
  agreedInterval,
  minSeSeconds,
  negotiateInterval,
  type SessionInterval,
  sessionExpiresHeaders,
} from './session-interval.ts';
import { SessionTimer } from './session-timer.ts';

/** The wait before a refused or unsent refresh is retried. */
const RETRY_MS = 10_000;
/**
 * RFC 3261 §14.1: the bounds of the wait after a 491, in units of 10 ms, for the owner of the Call-ID and for the other
 * side.
 */
const GLARE_OWNER = { fromMs: 2_100, toMs: 4_000 };
const GLARE_OTHER = { fromMs: 0, toMs: 2_000 };
const GLARE_UNIT_MS = 10;

const NO_BODY = new Uint8Array(0);

/** The part of a dialog that the session timer needs. */
export interface TimedDialog {
  readonly id: string;
  /** We placed the call, and made its Call-ID. */
  readonly isCaller: boolean;
  /** The peer's Allow names UPDATE. */
  allowsUpdate: boolean;
  /** Our last description; empty before there is one. */
  localSdp: Uint8Array;
  /** Our last Contact, whose user part the next one repeats; null before there is one. */
  localContact: string | null;
  /** null if the session has no timer. */
  session: SessionTimer | null;
}

export interface SessionRefresherOptions<Dialog extends TimedDialog> {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Whether the dialog is still confirmed. */
  readonly isLive: (dialog: Dialog) => boolean;
  /** The peer challenged a refresh; only the application has the credentials to repeat it. */
  readonly refreshChallenged: (dialogId: string, method: 'INVITE' | 'UPDATE') => void;
  /**
   * Sends a request of the server itself. `onFinal` receives the final response, which may be a local one.
   * @returns false if it cannot be sent now.
   */
  readonly send: (dialog: Dialog, refresh: Refresh, onFinal: (response: SipResponse) => void) => boolean;
  readonly end: (dialog: Dialog, reason: string) => void;
}

export interface Refresh {
  readonly method: 'INVITE' | 'UPDATE';
  readonly headers: readonly SipHeader[];
  readonly body: Uint8Array;
}

/** Session timers (RFC 4028): negotiates the interval, sends our refreshes, and ends sessions without a refresh. */
export class SessionRefresher<Dialog extends TimedDialog> {
  readonly #options: SessionRefresherOptions<Dialog>;

  constructor(options: SessionRefresherOptions<Dialog>) {
    this.#options = options;
  }

  /** Negotiates the interval for a peer's request. `dialog`: null outside a dialog. */
  answer(request: SipRequest, dialog: Dialog | null): ReturnType<typeof negotiateInterval> {
    return negotiateInterval(request, dialog?.session?.interval ?? null);
  }

  /** The session headers of each INVITE and UPDATE that we send in a dialog. */
  headersFor({ session }: Dialog): SipHeader[] {
    const supported = { name: 'Supported', value: SUPPORTED.join(', ') };
    return session === null ? [supported] : [supported, ...sessionExpiresHeaders(session.interval, session.minSeconds)];
  }

  /** Our 2xx to a peer's INVITE or UPDATE was sent. */
  accepted(dialog: Dialog, request: SipRequest, response: SipResponse, interval: SessionInterval | null): void {
    this.#recordAllow(dialog, request);
    this.#recordLocalSession(dialog, response);
    this.#restartTimer(dialog, interval);
  }

  /** A peer's UPDATE without an offer was answered. */
  renewed(dialog: Dialog, update: SipRequest, interval: SessionInterval | null): void {
    this.#recordAllow(dialog, update);
    this.#restartTimer(dialog, interval);
  }

  /** The peer's 2xx to our INVITE or UPDATE has arrived. */
  confirmed(dialog: Dialog, request: SipRequest, response: SipResponse): void {
    this.#recordAllow(dialog, response);
    this.#recordLocalSession(dialog, request);
    this.#restartTimer(dialog, agreedInterval(response));
  }

  #restartTimer(dialog: Dialog, interval: SessionInterval | null): void {
    const minSeconds = dialog.session?.minSeconds;
    dialog.session?.stop();
    dialog.session = null;
    if (interval === null || !this.#options.isLive(dialog)) return;
    dialog.session = new SessionTimer({
      clock: this.#options.clock,
      interval,
      ...(minSeconds !== undefined && { minSeconds }),
      refresh: () => this.#refresh(dialog),
      expire: () => this.#options.end(dialog, 'Session timer expired'),
    });
  }

  /** Refreshes by UPDATE, which does not affect media, if the peer allows it; otherwise by a re-INVITE with our last SDP. */
  #refresh(dialog: Dialog): void {
    const refresh: Refresh = dialog.allowsUpdate
      ? { method: 'UPDATE', headers: [], body: NO_BODY }
      : { method: 'INVITE', headers: [], body: dialog.localSdp };
    const contact = dialog.localContact === null ? [] : [{ name: 'Contact', value: dialog.localContact }];
    const headers = [...contact, ...this.headersFor(dialog)];
    const sent = this.#options.send(dialog, { ...refresh, headers }, (response) => {
      this.#onRefreshResponse(dialog, refresh.method, response);
    });
    if (!sent) dialog.session?.refreshIn(RETRY_MS);
  }

  /**
   * A 2xx has already started the next interval, even one to the application's repeated request. 408 and 481 have ended
   * the dialog (RFC 4028 §10).
   */
  #onRefreshResponse(dialog: Dialog, method: Refresh['method'], response: SipResponse): void {
    const { session } = dialog;
    const { status } = response;
    if (session === null || status < 300) return;
    const demanded = status === 422 ? minSeSeconds(response) : null;
    if (demanded !== null && demanded > session.minSeconds) {
      session.minSeconds = demanded;
      session.refreshIn(0);
    } else if (method === 'UPDATE' && (status === 405 || status === 501)) {
      dialog.allowsUpdate = false;
      session.refreshIn(0);
    } else {
      if (status === 401 || status === 407) this.#options.refreshChallenged(dialog.id, method);
      session.refreshIn(status === 491 ? this.#glareMs(dialog) : RETRY_MS);
    }
  }

  #glareMs({ isCaller }: Dialog): number {
    const { fromMs, toMs } = isCaller ? GLARE_OWNER : GLARE_OTHER;
    const units = Math.floor((this.#options.random() * (toMs - fromMs)) / GLARE_UNIT_MS);
    return fromMs + units * GLARE_UNIT_MS;
  }

  #recordAllow(dialog: Dialog, { headers }: SipMessage): void {
    if (getHeaderLines(headers, 'Allow').length === 0) return;
    dialog.allowsUpdate = getListValues(headers, 'Allow').includes('UPDATE');
  }

  /** Stores our description and Contact, for a refresh without changes. */
  #recordLocalSession(dialog: Dialog, { headers, body }: SipMessage): void {
    if (body.length > 0) dialog.localSdp = body;
    dialog.localContact = getHeader(headers, 'Contact') ?? dialog.localContact;
  }
}
