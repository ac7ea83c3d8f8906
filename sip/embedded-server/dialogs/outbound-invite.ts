import { formatCSeq } from '../grammar/cseq.ts';
import { getHeader, getHeaderLines, getListValues } from '../grammar/headers.ts';
import { tagOf } from '../grammar/name-address.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message.ts';
import type { ClientTransaction } from '../transactions/client-transaction.ts';
import type { TransactionFailure } from '../transactions/machine.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transactions/timer-values.ts';
import type { Hops } from '../transport/hop.ts';
import type { Origin } from '../transport/origin.ts';
import type { Application } from './application.ts';
import type { Core } from './core.ts';
import type { DialogState } from './dialog.ts';
import { contactOf, cseqNumberOf, dialogId, makeUacDialog } from './dialog.ts';
import type { LiveDialog } from './dialog-table.ts';
import { ownFinal, ownOrigin } from './own-final.ts';

/** A peer that rings on without an end is cancelled: longer than any ring timer of an application. */
const RINGING_LIMIT_MS = 600_000;

export interface OutboundInviteOptions {
  readonly core: Core;
  readonly application: Application;
  readonly request: SipRequest;
  readonly hops: Hops;
  /** Acknowledges a dialog that nobody wants and ends it. */
  readonly discard: (dialog: DialogState, inviteCseq: number) => void;
  readonly repeatAck: (dialog: LiveDialog) => void;
  readonly onEnded: () => void;
}

/** A new INVITE of the application's: CANCEL and its races, forks, and the first 2xx that makes the dialog. */
export class OutboundInvite {
  readonly application: Application;
  readonly #options: OutboundInviteOptions;
  readonly #core: Core;
  #transaction: ClientTransaction | null = null;
  #provisionalSeen = false;
  #finalSeen = false;
  #cancel: { readonly extra: readonly SipHeader[]; sent: boolean } | null = null;
  /** The tag and dialog of the 2xx that won. The dialog is null where it was discarded. */
  #winner: { readonly tag: string; readonly dialog: LiveDialog | null } | null = null;
  #abandoned = false;
  #stopLimit: () => void = () => undefined;

  constructor(options: OutboundInviteOptions) {
    this.#options = options;
    this.#core = options.core;
    this.application = options.application;
  }

  /** The transaction's id; null where there was no room for it. */
  start(): string | null {
    this.#transaction = this.#core.transactions.createClient(this.#options.request, this.#options.hops, {
      onResponse: (response, origin) => this.#receive(response, origin),
      onFailed: (cause) => this.#deliverOwn(cause),
    });
    if (this.#transaction === null) return null;
    this.#stopLimit = this.#core.clock.after(RINGING_LIMIT_MS, () => this.cancel([]));
    return this.#transaction.id;
  }

  get request(): SipRequest {
    return this.#options.request;
  }

  get hops(): Hops {
    return this.#options.hops;
  }

  /**
   * Sent at once where a provisional response is in, else after it (RFC 3261 §9.1).
   * @returns the CANCEL; null where a final response is in.
   */
  cancel(extra: readonly SipHeader[]): SipRequest | null {
    if (this.#finalSeen) return null;
    this.#cancel ??= { extra, sent: false };
    if (this.#provisionalSeen) this.#sendCancel();
    return makeCancel(this.#options.request, this.#cancel.extra);
  }

  /** The application is gone: what comes is ended without it. */
  abandon(): void {
    this.#abandoned = true;
    this.cancel([]);
  }

  stop(): void {
    this.#stopLimit();
  }

  #sendCancel(): void {
    if (this.#cancel === null || this.#cancel.sent) return;
    this.#cancel.sent = true;
    const request = makeCancel(this.#options.request, this.#cancel.extra);
    const nothing = { onResponse: () => undefined, onFailed: () => undefined };
    this.#core.transactions.createClient(request, this.#options.hops, nothing);
    this.#stopLimit();
    // A peer that never answers the cancelled INVITE is not waited for (RFC 3261 §9.1).
    this.#stopLimit = this.#core.clock.after(TRANSACTION_TIMEOUT_MS, () => {
      this.#deliverOwn('cancelled');
      this.#transaction?.abandon();
    });
  }

  #receive(response: SipResponse, origin: Origin): void {
    if (response.status < 200) this.#provisional(response, origin);
    else if (response.status < 300) this.#accepted(response, origin);
    else this.#final(response, origin);
  }

  #provisional(response: SipResponse, origin: Origin): void {
    this.#provisionalSeen = true;
    this.#sendCancel();
    if (response.status > 100) this.#deliver(response, origin, this.#dialogId());
  }

  #final(response: SipResponse, origin: Origin): void {
    this.#over();
    this.#deliver(response, origin, '');
  }

  /** The first 2xx makes the dialog; one with another tag is a fork's, and ended (RFC 3261 §13.2.2.4). */
  #accepted(response: SipResponse, origin: Origin): void {
    const { request } = this.#options;
    const tag = tagOf(getHeader(response.headers, 'To') ?? '') ?? '';
    const state = makeUacDialog(request, response, origin);
    if (this.#winner !== null) {
      const { dialog } = this.#winner;
      if (tag === this.#winner.tag && dialog !== null) this.#options.repeatAck(dialog);
      else this.#options.discard(state, state.localCseq);
      return;
    }
    if (this.#cancel !== null || this.#abandoned) {
      this.#winner = { tag, dialog: null };
      this.#options.discard(state, state.localCseq);
      this.#deliverOwn('cancelled');
      return;
    }
    const dialog = this.#core.dialogs.add(this.#dialogId(), this.application, state);
    const endsAtOnce = contactOf(response.headers) === null;
    dialog.sentAck = { cseq: cseqNumberOf(request), endsAtOnce, ack: null };
    this.#winner = { tag, dialog };
    this.#over();
    this.#deliver(response, origin, dialog.id);
  }

  /** A final answer of our own making, where the network gave none that the application could use. */
  #deliverOwn(cause: TransactionFailure | 'cancelled'): void {
    if (this.#finalSeen) return;
    this.#over();
    this.#deliver(ownFinal(this.#options.request, cause), ownOrigin(this.#options.hops[0]), '');
  }

  #deliver(response: SipResponse, origin: Origin, id: string): void {
    if (this.#abandoned || this.#transaction === null) return;
    this.application.response(response, origin, this.#transaction.id, id);
  }

  #over(): void {
    this.#finalSeen = true;
    this.#stopLimit();
    this.#options.onEnded();
  }

  #dialogId(): string {
    const { headers } = this.#options.request;
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
