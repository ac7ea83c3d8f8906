import { createHmac, randomBytes } from 'node:crypto';
import { acceptRequest, cseqNumberOf, dialogIdOfRequest, refreshTarget } from '../dialog/dialog-state.ts';
import { type LiveDialog, sendDeferredBye } from '../dialog/dialog-table.ts';
import type { SipApplication } from '../dialog/sip-application.ts';
import { ALLOW } from '../message/capabilities.ts';
import { getHeader } from '../message/headers.ts';
import type { InviteRefusalReason } from '../message/invite-refusal.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipHeader, SipRequest } from '../message/sip-message.ts';
import type { SessionRefresher } from '../session-timer/session-refresher.ts';
import { responseHops } from '../transport/response-routing.ts';
import type { Origin } from '../transport/transport-address.ts';
import { makeResponse } from './compose-response.ts';
import { userOf } from './local-identity.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';
import {
  checkNewRequest,
  type EarlyState,
  earlyRefusal,
  hasSessionDescription,
  headerList,
  refusalInDialog,
} from './request-checks.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** Bytes of a To tag that is derived from its request (RFC 3261 §19.3 requires at least 32 bits). */
const STATELESS_TAG_BYTES = 12;

/** What is wrong with an INVITE, by the status of its refusal. */
const INVALID_INVITES: Readonly<Record<number, string>> = {
  400: 'no Contact',
  420: 'Require names an extension that the server does not support',
  422: 'the session interval is shorter than Min-SE',
  481: 'the tag in To belongs to no dialog',
  482: 'the same INVITE has arrived before',
};
const UNSERVED = 'the server does not accept the request';
const NOT_CONNECTED = 'the service is not connected to its SIP server';
const TOO_MANY_DIALOGS = 'as many dialogs are open as there may be';

export interface InboundRequestsOptions {
  readonly core: UserAgentCore;
  /** The application that routes new requests of that method; null without one. */
  readonly applicationFor: (method: string) => SipApplication | null;
  readonly sessions: SessionRefresher<LiveDialog>;
  readonly pending: PendingRequests;
  /** The state of the early dialog of a call that we place. */
  readonly earlyState: (request: SipRequest) => EarlyState;
}

/** The server side (UAS) of every transaction, and the server's own responses. */
export class InboundRequests {
  readonly #core: UserAgentCore;
  readonly #options: InboundRequestsOptions;
  readonly #pending: PendingRequests;
  readonly #tagKey = randomBytes(STATELESS_TAG_BYTES);

  constructor(options: InboundRequestsOptions) {
    this.#core = options.core;
    this.#options = options;
    this.#pending = options.pending;
  }

  /** Handles a request. Its topmost Via has `received` and `rport` already. */
  receive(request: SipRequest, origin: Origin): void {
    const known = this.#core.transactions.findServer(request);
    if (request.method === 'ACK') {
      known?.receiveAck();
      this.#acknowledge(request, origin);
    } else if (known !== null) known.receiveRepeated();
    else if (!fitsFrame(request)) this.#refuseUnfit(request, origin);
    else if (request.method === 'CANCEL') this.#cancel(request, origin);
    else if (tagOf(getHeader(request.headers, 'To') ?? '') !== null) this.#receiveInDialog(request, origin);
    else this.#receiveNew(request, origin);
  }

  #refuseUnfit(request: SipRequest, origin: Origin): void {
    this.#respond(request, origin, 400, 'Bad Request');
    this.#core.refused(request, origin, { cause: 'invalid_request', status: 400, detail: 'malformed Call-ID or tag' });
  }

  #receiveNew(request: SipRequest, origin: Origin): void {
    const core = this.#core;
    const isMerged =
      core.transactions.isMerged(request) ||
      (request.method === 'INVITE' && core.dialogs.byId(dialogIdOfRequest(request)) !== null);
    const application = this.#options.applicationFor(request.method);
    const check = checkNewRequest(core, this.#options.sessions, request, application, isMerged);
    const isListed = core.sourceFilter.isListed(origin.address);
    if (check.type === 'accepted') {
      if (isListed || core.sourceFilter.acceptsInvite(origin.address, core.transactions.load)) {
        this.#pending.forward(request, origin, check.application, null);
      }
      return;
    }
    const { status, reason, headers } = check.refusal;
    this.#core.refused(request, origin, refusalReason(status, application));
    if (isListed) this.#respond(request, origin, status, reason, headers);
    else this.#respondStateless(request, origin, status, reason, headers);
  }

  /**
   * Responds to an unknown source without a transaction (RFC 3261 §8.2.7): a repeated request gets the
   * same response and To tag.
   */
  #respondStateless(
    request: SipRequest,
    origin: Origin,
    status: number,
    reason: string,
    extra: readonly SipHeader[],
  ): void {
    const { headers } = request;
    const identity = ['Via', 'Call-ID', 'CSeq', 'From'].map((name) => getHeader(headers, name) ?? '').join('\n');
    const tag = createHmac('sha256', this.#tagKey)
      .update(identity)
      .digest('hex')
      .slice(0, 2 * STATELESS_TAG_BYTES);
    this.#core.send(responseHops(headers, origin), makeResponse(request, status, reason, tag, extra));
  }

  #receiveInDialog(request: SipRequest, origin: Origin): void {
    const { method } = request;
    const dialog = this.#core.dialogs.forRequest(request);
    const early = this.#pending.early(request);
    if (method === 'PRACK') {
      this.#receivePrack(early, request, origin);
      return;
    }
    if (dialog === null) {
      if (early !== null && !early.transaction.answered && (method === 'BYE' || method === 'UPDATE')) {
        if (method === 'BYE') this.#endEarly(early, request, origin);
        else this.#updateEarly(early, request, origin);
      } else {
        const contact = this.#core.identity.contact(origin, null);
        const { status, reason, headers } = earlyRefusal(this.#options.earlyState(request), contact);
        this.#respond(request, origin, status, reason, headers);
        if (status === 481) this.#core.refused(request, origin, refusalReason(status, null));
      }
      return;
    }
    // A dropped request must not change the CSeq, otherwise its retransmission would be refused.
    if (this.#core.transactions.isFull) return;
    const state = acceptRequest(dialog.state, request, origin);
    if (state === null) {
      this.#respond(request, origin, 500, 'Server Internal Error', headerList(['Retry-After', '3']));
      return;
    }
    this.#core.dialogs.update(dialog, state);
    const refusal = refusalInDialog(this.#options.sessions, request, dialog);
    if (refusal !== null) {
      this.#respond(request, origin, refusal.status, refusal.reason, refusal.headers);
      return;
    }
    if (method === 'UPDATE' && request.body.length === 0) {
      this.#answerRefresh(dialog, request, origin);
      return;
    }
    const isForwarded = this.#pending.forward(request, origin, dialog.application, dialog);
    if (method === 'INVITE') dialog.remoteInvitePending = isForwarded;
    if (method === 'BYE' && isForwarded) this.#pending.byeReceived(dialog);
  }

  /**
   * A PRACK acknowledges its provisional response, whatever SDP it carries (RFC 3262 §3). SDP is for the application if that
   * response had SDP too (RFC 3262 §5): the answer to our offer, or the next offer. Otherwise it is an offer before the answer to
   * the INVITE's offer, which RFC 3264 §4 forbids. It gets a 200 without an answer, as every PRACK that matches must get a 2xx
   * (RFC 3262 §3; the rejection of an offer in a PRACK, RFC 6337): the offer of the INVITE stays valid, and the call continues.
   */
  #receivePrack(invite: PendingRequest | null, prack: SipRequest, origin: Origin): void {
    const acknowledged = invite?.provisionals?.acknowledge(prack) ?? null;
    if (invite === null || acknowledged === null) {
      this.#respond(prack, origin, 481, 'Call/Transaction Does Not Exist');
    } else if (acknowledged.body.length === 0 || !hasSessionDescription(prack)) this.#respond(prack, origin, 200, 'OK');
    else this.#pending.forwardPrack(prack, origin, invite);
  }

  /**
   * Answers an UPDATE without an offer, which only refreshes target and timer (RFC 3311 §5.2, RFC 4028 §9).
   */
  #answerRefresh(dialog: LiveDialog, update: SipRequest, origin: Origin): void {
    const { sessions } = this.#options;
    const answer = sessions.answer(update, dialog);
    const agreed = answer.type === 'agreed' ? answer : null;
    const contact = dialog.localContact ?? this.#core.identity.contact(origin, null);
    const headers = [...headerList(['Contact', contact, 'Allow', ALLOW]), ...(agreed?.headers ?? [])];
    this.#respond(update, origin, 200, 'OK', headers);
    this.#core.dialogs.update(dialog, refreshTarget(dialog.state, update.headers));
    sessions.renewed(dialog, update, agreed?.interval ?? null);
  }

  /** A caller may end an early dialog by BYE (RFC 3261 §15.1.2); the application sees a CANCEL. */
  #endEarly(pending: PendingRequest, bye: SipRequest, origin: Origin): void {
    this.#respond(bye, origin, 200, 'OK');
    this.#pending.cancel(pending, 487, 'Request Terminated');
  }

  /**
   * UPDATE before the answer (RFC 3311 §5.2): an offer in it must wait for the answer to the INVITE's offer; without an
   * offer it updates the caller's target.
   */
  #updateEarly(pending: PendingRequest, update: SipRequest, origin: Origin): void {
    if (update.body.length > 0) {
      this.#respond(update, origin, 500, 'Server Internal Error', headerList(['Retry-After', '3']));
      return;
    }
    pending.lastTargetRefresh = update;
    const contact = this.#core.identity.contact(origin, userOf(pending.transaction.request.uri));
    this.#respond(update, origin, 200, 'OK', headerList(['Contact', contact, 'Allow', ALLOW]));
  }

  /** Sends a final response of this server itself, with a transaction that absorbs repetitions. */
  #respond(
    request: SipRequest,
    origin: Origin,
    status: number,
    reason: string,
    extra: readonly SipHeader[] = [],
  ): void {
    const handlers = { onFailed: () => undefined, onEnded: () => undefined };
    const transaction = this.#core.transactions.createServer(request, responseHops(request.headers, origin), handlers);
    transaction?.respond(makeResponse(request, status, reason, this.#core.newId(), extra));
  }

  /** RFC 3261 §9.2: the CANCEL gets 200; the INVITE gets 487 unless it has a final response. */
  #cancel(request: SipRequest, origin: Origin): void {
    const target = this.#core.transactions.findServer(request, 'INVITE');
    if (target === null) {
      this.#respond(request, origin, 481, 'Call/Transaction Does Not Exist');
      return;
    }
    const pending = this.#pending.byTransaction(target.id);
    this.#respond(request, origin, 200, 'OK');
    if (pending === null || target.answered) return;
    this.#pending.respondLocally(pending, 487, 'Request Terminated');
    pending.application.request(request, origin, target.id, pending.dialog?.id ?? '');
  }

  /** The ACK to our 2xx (RFC 3261 §13.3.1.4). A repeated one has no effect. */
  #acknowledge(request: SipRequest, origin: Origin): void {
    const dialog = this.#core.dialogs.forRequest(request);
    const retransmission = dialog?.answerRetransmission ?? null;
    if (dialog === null || retransmission === null || retransmission.cseq !== cseqNumberOf(request)) return;
    retransmission.stop();
    dialog.answerRetransmission = null;
    dialog.application.request(request, origin, retransmission.transactionId, dialog.id);
    sendDeferredBye(dialog);
  }
}

/** False for a `|`, which separates the fields of drachtio's protocol. RFC 3261 allows it in neither Call-ID nor tag. */
function fitsFrame(request: SipRequest): boolean {
  return !dialogIdOfRequest(request).includes('|');
}

/** Why a new INVITE was refused: the reason phrase says no more than its status. A 503 without an application: it has disconnected. */
function refusalReason(status: number, application: SipApplication | null): InviteRefusalReason {
  if (status === 503 && application === null) return { cause: 'unavailable', status, detail: NOT_CONNECTED };
  if (status === 503) return { cause: 'overloaded', status, detail: TOO_MANY_DIALOGS };
  return { cause: 'invalid_request', status, detail: INVALID_INVITES[status] ?? UNSERVED };
}
