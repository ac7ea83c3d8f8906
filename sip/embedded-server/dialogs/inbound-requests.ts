import { formatCSeq } from '../grammar/cseq.ts';
import { addMissing, getHeader, removeHeader } from '../grammar/headers.ts';
import { tagOf } from '../grammar/name-address.ts';
import type { SipHeader, SipRequest, SipResponse } from '../message.ts';
import type { AppMessage } from '../protocol/app-message.ts';
import type { ServerTransaction } from '../transactions/server-transaction.ts';
import { type Origin, responseHops } from '../transport/origin.ts';
import type { Answer, Application } from './application.ts';
import { AwaitedAck } from './awaited-ack.ts';
import { ALLOW, chosenTag, composeResponse, ownResponse } from './compose-response.ts';
import type { Core } from './core.ts';
import {
  acceptRequest,
  cseqNumberOf,
  dialogId,
  dialogKey,
  keyOfRequest,
  makeUasDialog,
  refreshTarget,
} from './dialog.ts';
import type { LiveDialog } from './dialog-table.ts';
import { userOf } from './identity.ts';
import { checkNewRequest, type EarlyState, earlyRefusal, headerList, refusalInDialog } from './refusal.ts';
import { mustBeReliable, ReliableProvisionals } from './reliable-provisionals.ts';
import type { SessionAnswer, SessionInterval } from './session-interval.ts';
import type { SessionKeeper } from './session-keeper.ts';

/** How long an application may think about a call: longer than any phone rings. Then the caller gets 480. */
const INVITE_ANSWER_LIMIT_MS = 300_000;

/** Any other request of a peer has given up after 64·T1 (RFC 3261 §17.1.2.2): the application is done for it. */
const ANSWER_LIMIT_MS = 30_000;

/** RFC 3262 §3 bounds the first RSeq by 2³¹ − 1; the ones after it stay below that too. */
const FIRST_RSEQ_MAX = 2 ** 31 - 1_000;

/** A request of a peer's that the application has been told of. */
interface Pending {
  readonly transaction: ServerTransaction;
  readonly application: Application;
  readonly origin: Origin;
  readonly localTag: string;
  /** null outside a dialog. */
  readonly dialog: LiveDialog | null;
  readonly cancelLimit: () => void;
  /** Of a new INVITE, once there was one. */
  provisionals: ReliableProvisionals | null;
  /** The last request in the early dialog that names where the caller is now. */
  targetNamedBy: SipRequest | null;
}

export interface InboundOptions {
  readonly core: Core;
  /** The application that takes new requests of that method; null where none does. */
  readonly applicationFor: (method: string) => Application | null;
  readonly sessions: SessionKeeper;
  /** Of the early dialog of a call that we place. */
  readonly earlyState: (request: SipRequest) => EarlyState;
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

  /** A response that the application orders. A 2xx waits for the PRACK of a description that went before it. */
  async respond(
    application: Application,
    transactionId: string,
    order: Extract<AppMessage, { kind: 'response' }>,
  ): Promise<Answer> {
    const pending = this.#pending.get(transactionId);
    if (order.status >= 200 && order.status < 300) await pending?.provisionals?.descriptionKnown();
    if (pending === undefined || pending.application !== application || pending.transaction.answered) {
      return { ok: false, reason: 'unable to find an unanswered request' };
    }
    const { transaction, dialog, origin } = pending;
    const { request } = transaction;
    const localTag = dialog === null ? (chosenTag(order) ?? pending.localTag) : pending.localTag;
    const contact = this.#core.identity.contact(origin.transport, userOf(request.uri));
    const composed = composeResponse(request, order, localTag, contact);
    const id = dialog?.id ?? (request.method === 'INVITE' ? idOfNew(request) : '');
    const isAccepted = composed.status >= 200 && composed.status < 300;
    if (request.method === 'INVITE' && dialog === null && isAccepted && this.#core.dialogs.byId(id) !== null) {
      this.#answerFor(pending, 482, 'Request Merged');
      return { ok: false, reason: 'a dialog of that Call-ID and From tag exists' };
    }
    const session = isAccepted ? this.#sessionOf(pending) : null;
    const response = { ...composed, headers: addMissing(composed.headers, session?.headers ?? []) };
    if (dialog === null && request.method === 'INVITE' && mustBeReliable(request, order)) {
      this.#respondReliably(pending, response);
    } else transaction.respond(response);
    if (response.status >= 200) {
      pending.cancelLimit();
      pending.provisionals?.stop();
      if (dialog !== null && request.method === 'INVITE') dialog.remoteInvitePending = false;
    }
    if (isAccepted) this.#accepted(pending, response, session?.interval ?? null);
    return { ok: true, message: response, hop: transaction.hops[0], transactionId, dialogId: id };
  }

  /** Its connection is gone: whoever waits for its answer gets one. */
  forget(application: Application): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.application === application) this.#answerFor(pending, 503, 'Service Unavailable');
    }
  }

  clear(): void {
    for (const { cancelLimit, provisionals } of this.#pending.values()) {
      cancelLimit();
      provisionals?.stop();
    }
    this.#pending.clear();
    this.#early.clear();
  }

  #receiveNew(request: SipRequest, origin: Origin): void {
    const core = this.#core;
    const isMerged =
      core.transactions.isMerged(request) ||
      (request.method === 'INVITE' && core.dialogs.byId(idOfNew(request)) !== null);
    const application = this.#options.applicationFor(request.method);
    const check = checkNewRequest(core, this.#options.sessions, request, application, isMerged);
    if (check.type === 'wanted') {
      this.#pass(request, origin, check.application, null);
      return;
    }
    const { status, reason, headers } = check.refusal;
    this.#refuse(request, origin, status, reason, headers);
  }

  #receiveInDialog(request: SipRequest, origin: Origin): void {
    const { method } = request;
    const dialog = this.#core.dialogs.forRequest(request);
    const early = this.#early.get(keyOfRequest(request));
    if (method === 'PRACK') {
      const known = early?.provisionals?.acknowledge(request) ?? false;
      if (known) this.#refuse(request, origin, 200, 'OK');
      else this.#refuse(request, origin, 481, 'Call/Transaction Does Not Exist');
      return;
    }
    if (dialog === null) {
      if (early !== undefined && !early.transaction.answered && (method === 'BYE' || method === 'UPDATE')) {
        if (method === 'BYE') this.#endEarly(early, request, origin);
        else this.#updateEarly(early, request, origin);
      } else {
        const contact = this.#core.identity.contact(origin.transport, null);
        const { status, reason, headers } = earlyRefusal(this.#options.earlyState(request), contact);
        this.#refuse(request, origin, status, reason, headers);
      }
      return;
    }
    const state = acceptRequest(dialog.state, request, origin);
    if (state === null) {
      this.#refuse(request, origin, 500, 'Server Internal Error', headerList(['Retry-After', '3']));
      return;
    }
    this.#core.dialogs.update(dialog, state);
    const refusal = refusalInDialog(this.#options.sessions, request, dialog);
    if (refusal !== null) {
      this.#refuse(request, origin, refusal.status, refusal.reason, refusal.headers);
      return;
    }
    if (method === 'UPDATE' && request.body.length === 0) {
      this.#refreshed(dialog, request, origin);
      return;
    }
    const passed = this.#pass(request, origin, dialog.application, dialog);
    if (method === 'INVITE') dialog.remoteInvitePending = passed;
    if (method === 'BYE' && passed) this.#byeReceived(dialog);
  }

  /** An UPDATE that offers nothing moves target and timer alone (RFC 3311 §5.2, RFC 4028 §9): nobody need be asked. */
  #refreshed(dialog: LiveDialog, update: SipRequest, origin: Origin): void {
    const { sessions } = this.#options;
    const answer = sessions.answer(update, dialog);
    const agreed = answer.type === 'agreed' ? answer : null;
    const contact = dialog.localContact ?? this.#core.identity.contact(origin.transport, null);
    const headers = [...headerList(['Contact', contact, 'Allow', ALLOW]), ...(agreed?.headers ?? [])];
    this.#refuse(update, origin, 200, 'OK', headers);
    this.#core.dialogs.update(dialog, refreshTarget(dialog.state, update.headers));
    sessions.renewed(dialog, update, agreed?.interval ?? null);
  }

  /** A caller may end an early dialog by BYE (RFC 3261 §15.1.2); for the application that is a CANCEL. */
  #endEarly(pending: Pending, bye: SipRequest, origin: Origin): void {
    this.#refuse(bye, origin, 200, 'OK');
    this.#cancelFor(pending, 487, 'Request Terminated');
  }

  /** The INVITE is over by our own doing; the application sees a CANCEL. */
  #cancelFor(pending: Pending, status: number, reason: string): void {
    const { transaction, application, origin } = pending;
    const { request } = transaction;
    const cseq = formatCSeq({ number: cseqNumberOf(request), method: 'CANCEL' });
    const headers = [...removeHeader(request.headers, 'CSeq'), { name: 'CSeq', value: cseq }];
    this.#answerFor(pending, status, reason);
    application.request({ ...request, method: 'CANCEL', headers }, origin, transaction.id, '');
  }

  /**
   * UPDATE before the answer (RFC 3311 §5.2): an offer in it has to wait, for the INVITE's is not answered yet; without
   * one it says where the caller is now.
   */
  #updateEarly(pending: Pending, update: SipRequest, origin: Origin): void {
    if (update.body.length > 0) {
      this.#refuse(update, origin, 500, 'Server Internal Error', headerList(['Retry-After', '3']));
      return;
    }
    pending.targetNamedBy = update;
    const contact = this.#core.identity.contact(origin.transport, userOf(pending.transaction.request.uri));
    this.#refuse(update, origin, 200, 'OK', headerList(['Contact', contact, 'Allow', ALLOW]));
  }

  #respondReliably(pending: Pending, response: SipResponse): void {
    const { transaction } = pending;
    // To an INVITE without an offer, the first reliable response would have to make one (RFC 3262 §5): the 2xx does.
    if (transaction.request.body.length === 0 && response.body.length === 0) return;
    pending.provisionals ??= new ReliableProvisionals({
      clock: this.#core.clock,
      invite: transaction.request,
      firstRseq: 1 + Math.floor(this.#core.random() * FIRST_RSEQ_MAX),
      send: (reliable) => transaction.respond(reliable),
      onLost: () => this.#cancelFor(pending, 504, 'Server Time-out'),
    });
    pending.provisionals.send(response);
  }

  /** What our 2xx says of session timers; null where it says nothing. */
  #sessionOf({ transaction, dialog }: Pending): Extract<SessionAnswer, { type: 'agreed' }> | null {
    const { request } = transaction;
    if (request.method !== 'INVITE' && request.method !== 'UPDATE') return null;
    const answer = this.#options.sessions.answer(request, dialog);
    return answer.type === 'agreed' ? answer : null;
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
        this.#pending.get(transaction?.id ?? '')?.provisionals?.stop();
        this.#pending.delete(transaction?.id ?? '');
        if (this.#early.get(earlyKey)?.transaction === transaction) this.#early.delete(earlyKey);
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
      provisionals: null,
      targetNamedBy: null,
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
    pending.provisionals?.stop();
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

  #accepted(pending: Pending, response: SipResponse, interval: SessionInterval | null): void {
    const { transaction, application, origin } = pending;
    const { request } = transaction;
    if (request.method === 'UPDATE' && pending.dialog !== null) {
      this.#core.dialogs.update(pending.dialog, refreshTarget(pending.dialog.state, request.headers));
      this.#options.sessions.accepted(pending.dialog, request, response, interval);
    }
    if (request.method !== 'INVITE') return;
    const dialog =
      pending.dialog ??
      this.#core.dialogs.add(idOfNew(request), application, makeUasDialog(request, response, origin), false);
    this.#core.dialogs.update(dialog, refreshTarget(dialog.state, (pending.targetNamedBy ?? request).headers));
    this.#options.sessions.accepted(dialog, request, response, interval);
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
