import { formatCSeq } from '../grammar/cseq.ts';
import { getHeader, getListValues, removeHeader } from '../grammar/headers.ts';
import { tagOf } from '../grammar/name-address.ts';
import type { SipHeader, SipRequest } from '../message.ts';
import type { AppMessage } from '../protocol/app-message.ts';
import type { ServerTransaction } from '../transactions/server-transaction.ts';
import { type Origin, responseHops } from '../transport/origin.ts';
import type { Answer, Application } from './application.ts';
import { AwaitedAck } from './awaited-ack.ts';
import { ALLOW, chosenTag, composeResponse, ownResponse } from './compose-response.ts';
import type { Core } from './core.ts';
import {
  acceptRequest,
  contactOf,
  cseqNumberOf,
  dialogId,
  dialogKey,
  keyOfRequest,
  makeUasDialog,
  refreshTarget,
} from './dialog.ts';
import type { LiveDialog } from './dialog-table.ts';
import { userOf } from './identity.ts';

/** How long an application may think about a call: longer than any phone rings. Then the caller gets 480. */
const INVITE_ANSWER_LIMIT_MS = 300_000;

/** Any other request of a peer has given up after 64·T1 (RFC 3261 §17.1.2.2): the application is done for it. */
const ANSWER_LIMIT_MS = 30_000;

/** A request of a peer's that the application has been told of. */
interface Pending {
  readonly transaction: ServerTransaction;
  readonly application: Application;
  readonly origin: Origin;
  readonly localTag: string;
  /** null outside a dialog. */
  readonly dialog: LiveDialog | null;
  readonly cancelLimit: () => void;
}

export interface InboundOptions {
  readonly core: Core;
  /** The application that takes new requests of that method; null where none does. */
  readonly applicationFor: (method: string) => Application | null;
  /** Sends a BYE of our own and tells the application. */
  readonly endDialog: (dialog: LiveDialog, reason: string) => void;
}

/** The server side (UAS) of every transaction, and what this server answers by itself. */
export class InboundRequests {
  readonly #core: Core;
  readonly #options: InboundOptions;
  readonly #pending = new Map<string, Pending>();
  /** New INVITEs by the key that a request in their early dialog has. */
  readonly #early = new Map<string, Pending>();

  constructor(options: InboundOptions) {
    this.#core = options.core;
    this.#options = options;
  }

  /** The topmost Via has been stamped. */
  receive(request: SipRequest, origin: Origin): void {
    const known = this.#core.transactions.findServer(request);
    if (request.method === 'ACK') {
      known?.receiveAck();
      this.#acknowledge(request, origin);
    } else if (known !== null) known.receiveRepeated();
    else if (!fitsFrame(request)) this.#refuse(request, origin, 400, 'Bad Request');
    else if (request.method === 'CANCEL') this.#cancel(request, origin);
    else if (tagOf(getHeader(request.headers, 'To') ?? '') !== null) this.#receiveInDialog(request, origin);
    else this.#receiveNew(request, origin);
  }

  /** A response that the application orders. */
  respond(application: Application, transactionId: string, order: Extract<AppMessage, { kind: 'response' }>): Answer {
    const pending = this.#pending.get(transactionId);
    if (pending === undefined || pending.application !== application || pending.transaction.answered) {
      return { ok: false, reason: 'unable to find an unanswered request' };
    }
    const { transaction, dialog, origin } = pending;
    const { request } = transaction;
    const localTag = dialog === null ? (chosenTag(order) ?? pending.localTag) : pending.localTag;
    const contact = this.#core.identity.contact(origin.transport, userOf(request.uri));
    const response = composeResponse(request, order, localTag, contact);
    const id = dialog?.id ?? (request.method === 'INVITE' ? idOfNew(request) : '');
    const makesDialog =
      request.method === 'INVITE' && dialog === null && response.status >= 200 && response.status < 300;
    if (makesDialog && this.#core.dialogs.byId(id) !== null) {
      this.#answerFor(pending, 482, 'Request Merged');
      return { ok: false, reason: 'a dialog of that Call-ID and From tag exists' };
    }
    transaction.respond(response);
    if (response.status >= 200) {
      pending.cancelLimit();
      if (dialog !== null && request.method === 'INVITE') dialog.remoteInvitePending = false;
    }
    if (response.status >= 200 && response.status < 300) this.#accepted(pending, response);
    return { ok: true, message: response, hop: transaction.hops[0], transactionId, dialogId: id };
  }

  /** Its connection is gone: whoever waits for its answer gets one. */
  forget(application: Application): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.application === application) this.#answerFor(pending, 503, 'Service Unavailable');
    }
  }

  clear(): void {
    for (const { cancelLimit } of this.#pending.values()) cancelLimit();
    this.#pending.clear();
    this.#early.clear();
  }

  #receiveNew(request: SipRequest, origin: Origin): void {
    const { method, headers } = request;
    const application = this.#options.applicationFor(method);
    const required = getListValues(headers, 'Require');
    const isInvite = method === 'INVITE';
    if (this.#core.transactions.isMerged(request) || (isInvite && this.#core.dialogs.byId(idOfNew(request)) !== null)) {
      this.#refuse(request, origin, 482, 'Request Merged');
    } else if (required.length > 0) {
      const extra = [{ name: 'Unsupported', value: required.join(', ') }];
      this.#refuse(request, origin, 420, 'Bad Extension', extra);
    } else if (application === null && method === 'OPTIONS') {
      const extra = ['Allow', ALLOW, 'Accept', 'application/sdp'];
      this.#refuse(request, origin, 200, 'OK', pairs(extra));
    } else if (application === null && !isInvite) {
      this.#refuse(request, origin, 405, 'Method Not Allowed', pairs(['Allow', ALLOW]));
    } else if (application === null || (isInvite && this.#core.dialogs.isFull)) {
      this.#refuse(request, origin, 503, 'Service Unavailable', pairs(['Retry-After', '5']));
    } else if (isInvite && contactOf(headers) === null) {
      this.#refuse(request, origin, 400, 'Missing Contact');
    } else {
      this.#pass(request, origin, application, null);
    }
  }

  #receiveInDialog(request: SipRequest, origin: Origin): void {
    const { method } = request;
    const dialog = this.#core.dialogs.forRequest(request);
    if (dialog === null) {
      const early = method === 'BYE' ? this.#early.get(keyOfRequest(request)) : undefined;
      if (early === undefined || early.transaction.answered) {
        this.#refuse(request, origin, 481, 'Call/Transaction Does Not Exist');
      } else {
        this.#endEarly(early, request, origin);
      }
      return;
    }
    const state = acceptRequest(dialog.state, request, origin);
    if (state === null || (method === 'INVITE' && dialog.remoteInvitePending)) {
      this.#refuse(request, origin, 500, 'Server Internal Error', pairs(['Retry-After', '3']));
      return;
    }
    this.#core.dialogs.update(dialog, state);
    if (method === 'INVITE' && dialog.localInvitePending) {
      this.#refuse(request, origin, 491, 'Request Pending');
      return;
    }
    const passed = this.#pass(request, origin, dialog.application, dialog);
    if (method === 'INVITE') dialog.remoteInvitePending = passed;
    if (method === 'BYE' && passed) this.#byeReceived(dialog);
  }

  /** A caller may end an early dialog by BYE (RFC 3261 §15.1.2); for the application that is a CANCEL. */
  #endEarly(pending: Pending, bye: SipRequest, origin: Origin): void {
    const { transaction, application } = pending;
    const { request } = transaction;
    const cseq = formatCSeq({ number: cseqNumberOf(request), method: 'CANCEL' });
    const headers = [...removeHeader(request.headers, 'CSeq'), { name: 'CSeq', value: cseq }];
    this.#refuse(bye, origin, 200, 'OK');
    this.#answerFor(pending, 487, 'Request Terminated');
    application.request({ ...request, method: 'CANCEL', headers }, origin, transaction.id, '');
  }

  /** The dialog is over at once (RFC 3261 §15.1.2), whatever the application takes its time for. */
  #byeReceived(dialog: LiveDialog): void {
    this.#core.dialogs.remove(dialog);
    if (!dialog.remoteInvitePending) return;
    for (const pending of [...this.#pending.values()]) {
      const isInvite = pending.transaction.request.method === 'INVITE';
      if (pending.dialog === dialog && isInvite) this.#answerFor(pending, 487, 'Request Terminated');
    }
  }

  /** Makes the transaction and tells the application. False where there is no room: the peer's repetition tries again. */
  #pass(request: SipRequest, origin: Origin, application: Application, dialog: LiveDialog | null): boolean {
    const localTag = dialog?.state.localTag ?? this.#core.newId();
    const { headers } = request;
    const fromTag = tagOf(getHeader(headers, 'From') ?? '') ?? '';
    const earlyKey = dialogKey(getHeader(headers, 'Call-ID') ?? '', localTag, fromTag);
    const transaction = this.#core.transactions.createServer(request, responseHops(request.headers, origin), {
      onFailed: () => undefined,
      onEnded: () => {
        this.#pending.get(transaction?.id ?? '')?.cancelLimit();
        this.#pending.delete(transaction?.id ?? '');
        this.#early.delete(earlyKey);
      },
    });
    if (transaction === null) return false;
    const isInvite = request.method === 'INVITE';
    const limit = isInvite ? INVITE_ANSWER_LIMIT_MS : ANSWER_LIMIT_MS;
    const pending: Pending = {
      transaction,
      application,
      origin,
      localTag,
      dialog,
      cancelLimit: this.#core.clock.after(limit, () => this.#giveUp(pending)),
    };
    this.#pending.set(transaction.id, pending);
    if (isInvite && dialog === null) this.#early.set(earlyKey, pending);
    if (isInvite) transaction.respond(ownResponse(request, 100, 'Trying', localTag));
    application.request(request, origin, transaction.id, dialog?.id ?? '');
    return true;
  }

  /** The application did not answer in its time. */
  #giveUp(pending: Pending): void {
    const { transaction } = pending;
    if (transaction.request.method === 'INVITE') this.#answerFor(pending, 480, 'Temporarily Unavailable');
    else if (transaction.request.method === 'BYE') this.#answerFor(pending, 200, 'OK');
    else this.#answerFor(pending, 500, 'Server Internal Error');
  }

  #answerFor(pending: Pending, status: number, reason: string): void {
    const { transaction, localTag, dialog } = pending;
    pending.cancelLimit();
    if (transaction.answered) return;
    if (dialog !== null && transaction.request.method === 'INVITE') dialog.remoteInvitePending = false;
    transaction.respond(ownResponse(transaction.request, status, reason, localTag));
  }

  /** A final response of this server's own, with a transaction that absorbs repetitions. */
  #refuse(request: SipRequest, origin: Origin, status: number, reason: string, extra: readonly SipHeader[] = []): void {
    const handlers = { onFailed: () => undefined, onEnded: () => undefined };
    const transaction = this.#core.transactions.createServer(request, responseHops(request.headers, origin), handlers);
    transaction?.respond(ownResponse(request, status, reason, this.#core.newId(), extra));
  }

  /** RFC 3261 §9.2: the CANCEL gets its own 200; the INVITE, where it has no final response yet, 487. */
  #cancel(request: SipRequest, origin: Origin): void {
    const target = this.#core.transactions.findServer(request, 'INVITE');
    if (target === null) {
      this.#refuse(request, origin, 481, 'Call/Transaction Does Not Exist');
      return;
    }
    const pending = this.#pending.get(target.id);
    this.#refuse(request, origin, 200, 'OK');
    if (pending === undefined || target.answered) return;
    this.#answerFor(pending, 487, 'Request Terminated');
    pending.application.request(request, origin, target.id, pending.dialog?.id ?? '');
  }

  #accepted(pending: Pending, response: ReturnType<typeof composeResponse>): void {
    const { transaction, application, origin } = pending;
    const { request } = transaction;
    if (request.method === 'UPDATE' && pending.dialog !== null) {
      this.#core.dialogs.update(pending.dialog, refreshTarget(pending.dialog.state, request.headers));
    }
    if (request.method !== 'INVITE') return;
    const dialog =
      pending.dialog ?? this.#core.dialogs.add(idOfNew(request), application, makeUasDialog(request, response, origin));
    this.#core.dialogs.update(dialog, refreshTarget(dialog.state, request.headers));
    dialog.awaitedAck?.stop();
    dialog.awaitedAck = new AwaitedAck({
      clock: this.#core.clock,
      cseq: cseqNumberOf(request),
      transactionId: transaction.id,
      repeat: () => transaction.repeatAccepted(response),
      onLost: () => this.#ackLost(dialog),
    });
  }

  #ackLost(dialog: LiveDialog): void {
    dialog.awaitedAck = null;
    if (dialog.heldBye !== null) this.#releaseBye(dialog);
    else this.#options.endDialog(dialog, 'ACK timeout');
  }

  /** The ACK to a 2xx of ours (RFC 3261 §13.3.1.4). A repeated one has nothing to say any more. */
  #acknowledge(request: SipRequest, origin: Origin): void {
    const dialog = this.#core.dialogs.forRequest(request);
    const awaited = dialog?.awaitedAck ?? null;
    if (dialog === null || awaited === null || awaited.cseq !== cseqNumberOf(request)) return;
    awaited.stop();
    dialog.awaitedAck = null;
    dialog.application.request(request, origin, awaited.transactionId, dialog.id);
    this.#releaseBye(dialog);
  }

  #releaseBye(dialog: LiveDialog): void {
    const send = dialog.heldBye;
    dialog.heldBye = null;
    send?.();
  }
}

function idOfNew(request: SipRequest): string {
  return dialogId(getHeader(request.headers, 'Call-ID') ?? '', tagOf(getHeader(request.headers, 'From') ?? '') ?? '');
}

/** A `|` would end a field of the application's protocol. RFC 3261 allows it in neither Call-ID nor tag. */
function fitsFrame(request: SipRequest): boolean {
  return !idOfNew(request).includes('|');
}

function pairs(flat: readonly string[]): SipHeader[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: flat[index + 1] ?? '' }] : []));
}
