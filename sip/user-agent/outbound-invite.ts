import type { DialogState } from '../dialog/dialog-state.ts';
import {
  contactOf,
  cseqNumberOf,
  dialogId,
  dialogKeyOf,
  dialogKeyOfRequest,
  makeUacDialog,
} from '../dialog/dialog-state.ts';
import type { LiveDialog } from '../dialog/dialog-table.ts';
import { ackTo } from '../dialog/sent-ack.ts';
import type { SipApplication } from '../dialog/sip-application.ts';
import { formatCSeq } from '../message/cseq.ts';
import { getHeader, getHeaderLines, getListValues, setHeader } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message/sip-message.ts';
import { minSeSeconds, sessionExpiresHeaders } from '../session-timer/session-interval.ts';
import type { ClientTransaction } from '../transaction/client-transaction.ts';
import { SILENT_HOP_MS, TRANSACTION_TIMEOUT_MS } from '../transaction/timer-values.ts';
import { type Hops, hopText, nextHops, type Origin } from '../transport/transport-address.ts';
import { type LocalFinalCause, localFinalResponse, localOrigin } from './local-final-response.ts';
import { userOf } from './local-identity.ts';
import { hopsOfTransaction } from './resolve-hops.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** A call that rings longer is cancelled: longer than any ring timer of an application. */
const RINGING_TIMEOUT_MS = 600_000;

export interface OutboundInviteOptions {
  readonly core: UserAgentCore;
  readonly application: SipApplication;
  readonly request: SipRequest;
  readonly hops: Hops;
  /** Acknowledges and ends the dialog of a further 2xx. */
  readonly discard: (dialog: DialogState, invite: SipRequest) => void;
  readonly repeatAck: (dialog: LiveDialog) => void;
  /** Acknowledges a reliable provisional response, in the early dialog with its raised CSeq. */
  readonly prack: (dialog: DialogState, rack: string) => void;
  /** The 2xx has made the dialog. */
  readonly confirmed: (dialog: LiveDialog, request: SipRequest, response: SipResponse) => void;
  readonly onEnded: () => void;
}

/** Early dialogs of one call. Beyond: reliable responses of further forks are not acknowledged. */
const FORKS_MAX = 16;

/** The early dialog of one fork (RFC 3261 §12.1, RFC 3262 §4). */
interface EarlyDialog {
  state: DialogState;
  /** RSeq of its last reliable response; null before one. */
  rseq: number | null;
  /** A reliable response has answered our offer. */
  isAnswered: boolean;
}

/** A new INVITE of the application: CANCEL and its races, forks, and the first 2xx, which creates the dialog. */
export class OutboundInvite {
  readonly application: SipApplication;
  readonly #options: OutboundInviteOptions;
  readonly #core: UserAgentCore;
  #transaction: ClientTransaction | null = null;
  /** The current server sent a provisional response: the INVITE may be cancelled. */
  #provisionalSeen = false;
  /** A callee was reached, so no other server is tried. A 100 proves only that the server responds. */
  #reached = false;
  #finalSeen = false;
  /** The last server sent no response in time. */
  #isLastHopSilent = false;
  #cancel: { readonly extra: readonly SipHeader[]; sent: boolean } | null = null;
  /** The tag and dialog of the first 2xx. The dialog is null if it was discarded. */
  #winner: { readonly tag: string; readonly dialog: LiveDialog | null } | null = null;
  #abandoned = false;
  #intervalRetried = false;
  /** The current server and the next ones. */
  #hops: Hops;
  #cancelSilenceTimer: () => void = () => undefined;
  /** The last sent INVITE. A 422 or another hop replaces it. */
  #request: SipRequest;
  /** Cancelled INVITEs of skipped servers, each with a function that stops its timeout. */
  readonly #lateInviteTimers = new Map<SipRequest, () => void>();
  /** The transaction id that the application knows. */
  #id: string | null = null;
  /** By the callee's tag. */
  readonly #earlyDialogs = new Map<string, EarlyDialog>();
  #cancelTimeout: () => void = () => undefined;

  constructor(options: OutboundInviteOptions) {
    this.#options = options;
    this.#core = options.core;
    this.application = options.application;
    this.#request = options.request;
    this.#hops = options.hops;
  }

  /** The transaction's id; null if the limit of transactions is reached. */
  start(): string | null {
    if (!this.#send()) return null;
    this.#id = this.#transaction?.id ?? null;
    this.#cancelTimeout = this.#core.clock.after(RINGING_TIMEOUT_MS, () => this.cancel([]));
    return this.#id;
  }

  #send(): boolean {
    const request = this.#request;
    this.#cancelSilenceTimer();
    const hops = hopsOfTransaction(this.#core.isConcealed, this.#hops);
    const transaction = this.#core.transactions.createClient(request, hops, {
      onResponse: (response, origin) => {
        if (request === this.#request && !this.#isLastHopSilent) this.#receive(response, origin);
        else this.#receiveLate(request, response, origin, () => transaction?.abandon());
      },
      isConcealed: this.#core.isConcealed(hops[0].address),
      onFailed: (cause, detail) => {
        if (request === this.#request && !this.#sendToNextHop()) this.#deliverLocal(cause, detail);
      },
    });
    this.#transaction = transaction;
    if (transaction === null) return false;
    this.#cancelSilenceTimer = this.#core.clock.after(SILENT_HOP_MS, () => this.#skipSilentHop());
    return true;
  }

  /** The server sent not even a 100, which is due within 200 ms (RFC 3261 §17.2.1): tries the next one. */
  #skipSilentHop(): void {
    if (this.#cancel !== null || this.#sendToNextHop()) return;
    this.#isLastHopSilent = true;
    this.#deliverLocal('silence', `no response within ${SILENT_HOP_MS / 1_000} s: ${hopText(this.#hops[0])}`);
  }

  /** Sends the same INVITE to the next server, as a new transaction (RFC 3263 §4.3). False without one. */
  #sendToNextHop(): boolean {
    const hops = nextHops(this.#hops);
    if (hops === null || this.#reached || this.#finalSeen || this.#cancel !== null) return false;
    this.#hops = hops;
    this.#provisionalSeen = false;
    // The next server may be of another IP family, or outside our local networks.
    const { identity } = this.#core;
    const headers = setHeader(this.#request.headers, 'Via', identity.via(hops[0], this.#core.newId()));
    const user = userOf(contactOf(headers) ?? '');
    this.#request = { ...this.#request, headers: setHeader(headers, 'Contact', identity.contact(hops[0], user)) };
    return this.#send();
  }

  /**
   * Handles a late response of a skipped server: cancels its INVITE once, and abandons it without a final response (RFC
   * 3261 §9.1).
   */
  #receiveLate(request: SipRequest, response: SipResponse, origin: Origin, abandon: () => void): void {
    if (response.status >= 200) {
      this.#lateInviteTimers.get(request)?.();
      if (response.status < 300) this.#options.discard(makeUacDialog(request, response, origin), request);
    } else if (!this.#lateInviteTimers.has(request)) {
      this.#lateInviteTimers.set(request, this.#core.clock.after(TRANSACTION_TIMEOUT_MS, abandon));
      const nothing = { onResponse: () => undefined, onFailed: () => undefined };
      this.#core.transactions.createClient(makeCancel(request, []), [origin], nothing);
    }
  }

  /** The early dialog of a request that the callee sent. */
  earlyDialog(request: SipRequest): { readonly isAnswered: boolean } | null {
    for (const early of this.#earlyDialogs.values())
      if (dialogKeyOf(early.state) === dialogKeyOfRequest(request)) return early;
    return null;
  }

  get hops(): Hops {
    return this.#hops;
  }

  /**
   * Sends CANCEL at once if a provisional response has arrived, otherwise when one arrives (RFC 3261 §9.1).
   * @returns the CANCEL; null after a final response.
   */
  cancel(extra: readonly SipHeader[]): SipRequest | null {
    if (this.#finalSeen) return null;
    this.#cancel ??= { extra, sent: false };
    if (this.#provisionalSeen) this.#sendCancel();
    return makeCancel(this.#request, this.#cancel.extra);
  }

  /** The application has disconnected: cancels, and ends the call if it is answered. */
  abandon(): void {
    this.#abandoned = true;
    this.cancel([]);
  }

  stop(): void {
    this.#cancelTimeout();
    this.#cancelSilenceTimer();
  }

  #sendCancel(): void {
    if (this.#cancel === null || this.#cancel.sent) return;
    this.#cancel.sent = true;
    const request = makeCancel(this.#request, this.#cancel.extra);
    const nothing = { onResponse: () => undefined, onFailed: () => undefined };
    this.#core.transactions.createClient(request, this.#hops, nothing);
    this.#cancelTimeout();
    // Does not wait for a peer that never answers the cancelled INVITE (RFC 3261 §9.1).
    this.#cancelTimeout = this.#core.clock.after(TRANSACTION_TIMEOUT_MS, () => {
      this.#deliverLocal('cancelled', 'the INVITE was cancelled, and has no final response');
      this.#transaction?.abandon();
    });
  }

  #receive(response: SipResponse, origin: Origin): void {
    if (response.status < 200) this.#provisional(response, origin);
    else if (response.status < 300) this.#accepted(response, origin);
    else if (response.status === 503 && this.#sendToNextHop()) return;
    else if (response.status !== 422 || !this.#retryWithInterval(response)) this.#final(response, origin);
  }

  #provisional(response: SipResponse, origin: Origin): void {
    this.#provisionalSeen = true;
    this.#reached ||= response.status > 100;
    this.#cancelSilenceTimer();
    this.#sendCancel();
    if (response.status > 100 && this.#acknowledgeReliable(response, origin))
      this.#deliver(response, origin, this.#dialogId());
  }

  /** RFC 3262 §4: reliable responses are acknowledged in order; repeated and early ones are ignored. */
  #acknowledgeReliable(response: SipResponse, origin: Origin): boolean {
    const { headers } = response;
    const tag = tagOf(getHeader(headers, 'To') ?? '');
    const known = tag === null ? undefined : this.#earlyDialogs.get(tag);
    if (tag === null || (known === undefined && this.#earlyDialogs.size >= FORKS_MAX)) return true;
    const state = makeUacDialog(this.#request, response, origin);
    const early = known ?? { state, rseq: null, isAnswered: false };
    this.#earlyDialogs.set(tag, early);
    const rseq = getListValues(headers, 'Require').includes('100rel') ? Number(getHeader(headers, 'RSeq') ?? '') : 0;
    if (!Number.isInteger(rseq) || rseq < 1) return true;
    if (early.rseq !== null && rseq !== early.rseq + 1) return false;
    early.rseq = rseq;
    early.isAnswered ||= response.body.length > 0;
    early.state = { ...state, localCseq: early.state.localCseq + 1 };
    this.#options.prack(early.state, `${rseq} ${cseqNumberOf(this.#request)} INVITE`);
    return true;
  }

  /** Repeats the INVITE once with the minimum interval of a 422, in the same call (RFC 4028 §7.3). */
  #retryWithInterval(response: SipResponse): boolean {
    const seconds = minSeSeconds(response);
    if (seconds === null || this.#cancel !== null || this.#intervalRetried) return false;
    this.#intervalRetried = true;
    const number = cseqNumberOf(this.#request) + 1;
    const via = this.#core.identity.via(this.#hops[0], this.#core.newId());
    const changed = [
      { name: 'Via', value: via },
      { name: 'CSeq', value: formatCSeq({ number, method: 'INVITE' }) },
      ...sessionExpiresHeaders(null, seconds),
    ];
    const headers = changed.reduce((sum, { name, value }) => setHeader(sum, name, value), [...this.#request.headers]);
    this.#request = { ...this.#request, headers };
    this.#provisionalSeen = false;
    this.#earlyDialogs.clear();
    return this.#send();
  }

  #final(response: SipResponse, origin: Origin): void {
    this.#finish();
    this.#deliver(response, origin, '');
  }

  /** The first 2xx creates the dialog. A 2xx with another tag belongs to a fork, which is ended (RFC 3261 §13.2.2.4). */
  #accepted(response: SipResponse, origin: Origin): void {
    const request = this.#request;
    const tag = tagOf(getHeader(response.headers, 'To') ?? '') ?? '';
    const made = makeUacDialog(request, response, origin);
    const state = { ...made, localCseq: this.#earlyDialogs.get(tag)?.state.localCseq ?? made.localCseq };
    if (this.#winner !== null) {
      const { dialog } = this.#winner;
      if (tag === this.#winner.tag && dialog !== null) this.#options.repeatAck(dialog);
      else this.#options.discard(state, request);
      return;
    }
    if (this.#cancel !== null || this.#abandoned) {
      this.#winner = { tag, dialog: null };
      this.#options.discard(state, request);
      this.#deliverLocal('cancelled', 'the INVITE was cancelled');
      return;
    }
    const dialog = this.#core.dialogs.add(this.#dialogId(), this.application, state, true);
    dialog.sentAck = ackTo(request, contactOf(response.headers) === null);
    this.#winner = { tag, dialog };
    this.#options.confirmed(dialog, request, response);
    this.#finish();
    this.#deliver(response, origin, dialog.id);
  }

  /** Delivers a local final response when the network sent no usable one. */
  #deliverLocal(cause: LocalFinalCause, detail: string): void {
    if (this.#finalSeen) return;
    this.#finish();
    this.#deliver(localFinalResponse(this.#request, cause, detail), localOrigin(this.#hops[0]), '');
  }

  #deliver(response: SipResponse, origin: Origin, id: string): void {
    if (this.#abandoned || this.#id === null) return;
    this.application.response(response, origin, this.#id, id);
  }

  #finish(): void {
    this.#finalSeen = true;
    this.#cancelTimeout();
    this.#cancelSilenceTimer();
    this.#options.onEnded();
  }

  #dialogId(): string {
    const { headers } = this.#request;
    return dialogId(getHeader(headers, 'Call-ID') ?? '', tagOf(getHeader(headers, 'From') ?? '') ?? '');
  }
}

/** RFC 3261 §9.1: branch, Request-URI, From, To, Call-ID and CSeq number of the INVITE, and its Route. */
function makeCancel(invite: SipRequest, extra: readonly SipHeader[]): SipRequest {
  const headers: SipHeader[] = [
    { name: 'Via', value: getListValues(invite.headers, 'Via')[0] ?? '' },
    ...getHeaderLines(invite.headers, 'Route').map((value) => ({ name: 'Route', value })),
    { name: 'Max-Forwards', value: '70' },
    { name: 'From', value: getHeader(invite.headers, 'From') ?? '' },
    { name: 'To', value: getHeader(invite.headers, 'To') ?? '' },
    { name: 'Call-ID', value: getHeader(invite.headers, 'Call-ID') ?? '' },
    { name: 'CSeq', value: formatCSeq({ number: cseqNumberOf(invite), method: 'CANCEL' }) },
    ...extra,
  ];
  return { kind: 'request', method: 'CANCEL', uri: invite.uri, headers, body: new Uint8Array(0) };
}
