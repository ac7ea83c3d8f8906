import { AnswerRetransmission } from '../dialog/answer-retransmission.ts';
import {
  cseqNumberOf,
  dialogIdOfRequest,
  dialogKey,
  dialogKeyOfRequest,
  makeUasDialog,
  refreshTarget,
} from '../dialog/dialog-state.ts';
import { type LiveDialog, sendDeferredBye } from '../dialog/dialog-table.ts';
import type { ApplicationMessage, CommandResult, SipApplication } from '../dialog/sip-application.ts';
import { formatCSeq } from '../message/cseq.ts';
import { addMissing, getHeader, getHeaderLines, removeHeader } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { IntervalNegotiation, SessionInterval } from '../session-timer/session-interval.ts';
import type { SessionRefresher } from '../session-timer/session-refresher.ts';
import { type ServerTransaction, UNACKNOWLEDGED_BYTES_MAX } from '../transaction/server-transaction.ts';
import { TRANSACTION_TIMEOUT_MS } from '../transaction/timer-values.ts';
import { responseHops } from '../transport/response-routing.ts';
import { isReliable, type Origin } from '../transport/transport-address.ts';
import { chosenTag, composeResponse, makeResponse } from './compose-response.ts';
import { userOf } from './local-identity.ts';
import { mustBeReliable, ReliableProvisionals } from './reliable-provisionals.ts';
import type { UserAgentCore } from './user-agent-core.ts';

/** The longest time for the application to answer a call: longer than any phone rings. Then the caller gets 480. */
const INVITE_ANSWER_TIMEOUT_MS = 300_000;

/** A peer gives up any other request after 64·T1 (RFC 3261 §17.1.2.2). */
const ANSWER_TIMEOUT_MS = 30_000;

const ACK_TIMEOUT = `no ACK within ${TRANSACTION_TIMEOUT_MS / 1_000} s (64*T1)`;

/** RFC 3262 §3 bounds the first RSeq by 2³¹ − 1; the ones after it stay below that too. */
const FIRST_RSEQ_MAX = 2 ** 31 - 1_000;

/** A peer's request that the application handles. */
export interface PendingRequest {
  readonly transaction: ServerTransaction;
  readonly application: SipApplication;
  readonly origin: Origin;
  /** The application may choose another one in its first response to a new request. */
  localTag: string;
  /** null outside a dialog. */
  readonly dialog: LiveDialog | null;
  readonly cancelLimit: () => void;
  /** The reliable provisional responses to a new INVITE; null before the first. */
  provisionals: ReliableProvisionals | null;
  /** For a PRACK with an offer: a 2xx must carry the answer (RFC 3262 §5). */
  readonly needsAnswer: boolean;
  /** For a new INVITE: the application has responded. */
  isOutcomeRecorded: boolean;
  /** The last request in the early dialog that updated the caller's target. */
  lastTargetRefresh: SipRequest | null;
}

export interface PendingRequestsOptions {
  readonly core: UserAgentCore;
  readonly sessions: SessionRefresher<LiveDialog>;
  /** Sends a BYE and notifies the application. */
  readonly endDialog: (dialog: LiveDialog, reason: string) => void;
}

/** The peers' requests that the application handles, until their final response. */
export class PendingRequests {
  readonly #core: UserAgentCore;
  readonly #options: PendingRequestsOptions;
  readonly #pending = new Map<string, PendingRequest>();
  /** New INVITEs by the key of requests in their early dialog. */
  readonly #early = new Map<string, PendingRequest>();

  constructor(options: PendingRequestsOptions) {
    this.#core = options.core;
    this.#options = options;
  }

  byTransaction(id: string): PendingRequest | null {
    return this.#pending.get(id) ?? null;
  }

  /** The new INVITE whose early dialog the request belongs to. */
  early(request: SipRequest): PendingRequest | null {
    return this.#early.get(dialogKeyOfRequest(request)) ?? null;
  }

  /** Sends the application's response. A 2xx waits for the PRACK of an earlier description. */
  async respond(
    application: SipApplication,
    transactionId: string,
    applicationResponse: Extract<ApplicationMessage, { kind: 'response' }>,
  ): Promise<CommandResult> {
    const pending = this.#pending.get(transactionId);
    if (applicationResponse.status >= 200 && applicationResponse.status < 300)
      await pending?.provisionals?.sdpAcknowledged();
    if (pending === undefined || pending.application !== application || pending.transaction.answered) {
      return { ok: false, reason: 'unable to find an unanswered request' };
    }
    const { transaction, dialog, origin } = pending;
    const { request } = transaction;
    if (dialog === null) this.#adoptTag(pending, chosenTag(applicationResponse));
    const { localTag } = pending;
    const contact = this.#core.identity.contact(origin, userOf(request.uri));
    const composed = composeResponse(request, applicationResponse, localTag, contact);
    const id = dialog?.id ?? (request.method === 'INVITE' ? dialogIdOfRequest(request) : '');
    const isAccepted = composed.status >= 200 && composed.status < 300;
    if (request.method === 'INVITE' && dialog === null && isAccepted && this.#core.dialogs.byId(id) !== null) {
      this.respondLocally(pending, 482, 'Request Merged');
      return { ok: false, reason: 'a dialog of that Call-ID and From tag exists' };
    }
    if (pending.needsAnswer && isAccepted && composed.body.length === 0) {
      this.respondLocally(pending, 488, 'Not Acceptable Here');
      return { ok: false, reason: 'the offer of the PRACK has no answer' };
    }
    if (request.method === 'INVITE' && dialog === null && !pending.isOutcomeRecorded) {
      pending.isOutcomeRecorded = true;
      this.#core.sourceFilter.recordInviteOutcome(origin.address, {
        callId: getHeader(request.headers, 'Call-ID') ?? '',
        status: composed.status,
        isChallenged: answersNoGuess(request, composed),
      });
    }
    const session = isAccepted ? this.#sessionOf(pending) : null;
    const response = { ...composed, headers: addMissing(composed.headers, session?.headers ?? []) };
    let sent: SipResponse = response;
    if (dialog === null && request.method === 'INVITE' && mustBeReliable(request, applicationResponse)) {
      sent = this.#respondReliably(pending, response);
    } else transaction.respond(response);
    if (response.status >= 200) {
      pending.cancelLimit();
      pending.provisionals?.stop();
      if (dialog !== null && request.method === 'INVITE') dialog.remoteInvitePending = false;
    }
    if (isAccepted) this.#accepted(pending, response, session?.interval ?? null);
    return { ok: true, message: sent, hop: transaction.hops[0], transactionId, dialogId: id };
  }

  /** Uses the application's To tag for later requests in the early dialog. */
  #adoptTag(pending: PendingRequest, tag: string | null): void {
    if (tag === null || tag === pending.localTag) return;
    const isEarly = this.#dropEarly(pending);
    pending.localTag = tag;
    if (isEarly) this.#early.set(earlyKeyOf(pending), pending);
  }

  /** False if the early dialog was not registered. */
  #dropEarly(pending: PendingRequest): boolean {
    const key = earlyKeyOf(pending);
    return this.#early.get(key) === pending && this.#early.delete(key);
  }

  /** The application has disconnected: answers its pending requests with 503. */
  forget(application: SipApplication): void {
    for (const pending of [...this.#pending.values()]) {
      if (pending.application === application) this.respondLocally(pending, 503, 'Service Unavailable');
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

  /** Ends the INVITE; the application sees a CANCEL. */
  cancel(pending: PendingRequest, status: number, reason: string): void {
    const { transaction, application, origin } = pending;
    const { request } = transaction;
    const cseq = formatCSeq({ number: cseqNumberOf(request), method: 'CANCEL' });
    const headers = [...removeHeader(request.headers, 'CSeq'), { name: 'CSeq', value: cseq }];
    this.respondLocally(pending, status, reason);
    application.request({ ...request, method: 'CANCEL', headers }, origin, transaction.id, '');
  }

  /** @returns the response with its RSeq, from which the application knows that a PRACK follows. */
  #respondReliably(pending: PendingRequest, response: SipResponse): SipResponse {
    const { transaction } = pending;
    // For an INVITE without an offer, the first reliable response would need an offer (RFC 3262 §5). Here the 2xx has it.
    if (transaction.request.body.length === 0 && response.body.length === 0) return response;
    pending.provisionals ??= new ReliableProvisionals({
      clock: this.#core.clock,
      invite: transaction.request,
      firstRseq: 1 + Math.floor(this.#core.random() * FIRST_RSEQ_MAX),
      send: (reliable) => transaction.respond(reliable),
      repeat: (reliable) => transaction.repeat(reliable),
      onLost: () => this.cancel(pending, 504, 'Server Time-out'),
    });
    return pending.provisionals.send(response);
  }

  /** The session timer of our 2xx; null without one. */
  #sessionOf({ transaction, dialog }: PendingRequest): Extract<IntervalNegotiation, { type: 'agreed' }> | null {
    const { request } = transaction;
    if (request.method !== 'INVITE' && request.method !== 'UPDATE') return null;
    const answer = this.#options.sessions.answer(request, dialog);
    return answer.type === 'agreed' ? answer : null;
  }

  /** A BYE ends the dialog at once (RFC 3261 §15.1.2), without waiting for the application. */
  byeReceived(dialog: LiveDialog): void {
    this.#core.dialogs.remove(dialog);
    if (!dialog.remoteInvitePending) return;
    for (const pending of [...this.#pending.values()]) {
      const isInvite = pending.transaction.request.method === 'INVITE';
      if (pending.dialog === dialog && isInvite) this.respondLocally(pending, 487, 'Request Terminated');
    }
  }

  /** Passes a PRACK with SDP to the application of its INVITE: an offer, or the answer to ours. */
  forwardPrack(prack: SipRequest, origin: Origin, { application, transaction }: PendingRequest): void {
    const invite = transaction.request;
    const early = { id: dialogIdOfRequest(invite), needsAnswer: invite.body.length > 0 };
    this.forward(prack, origin, application, null, early);
  }

  /**
   * Creates the transaction and passes the request to the application. False at the bound: the retransmission is tried
   * again.
   * @param early the early dialog of a request outside any other.
   */
  forward(
    request: SipRequest,
    origin: Origin,
    application: SipApplication,
    dialog: LiveDialog | null,
    early = { id: '', needsAnswer: false },
  ): boolean {
    const localTag = dialog?.state.localTag ?? this.#core.newId();
    const transaction = this.#core.transactions.createServer(request, responseHops(request.headers, origin), {
      bytesMax: this.#bytesMaxOf(request, origin),
      onFailed: () => undefined,
      onEnded: () => {
        const ended = this.#pending.get(transaction?.id ?? '');
        if (ended === undefined) return;
        ended.cancelLimit();
        ended.provisionals?.stop();
        this.#pending.delete(ended.transaction.id);
        this.#dropEarly(ended);
      },
    });
    if (transaction === null) return false;
    const isInvite = request.method === 'INVITE';
    const limit = isInvite ? INVITE_ANSWER_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
    const pending: PendingRequest = {
      transaction,
      application,
      origin,
      localTag,
      dialog,
      cancelLimit: this.#core.clock.after(limit, () => this.#onTimeout(pending)),
      provisionals: null,
      needsAnswer: early.needsAnswer,
      isOutcomeRecorded: false,
      lastTargetRefresh: null,
    };
    this.#pending.set(transaction.id, pending);
    if (isInvite && dialog === null) this.#early.set(earlyKeyOf(pending), pending);
    if (isInvite) transaction.respond(makeResponse(request, 100, 'Trying', localTag));
    application.request(request, origin, transaction.id, dialog?.id ?? early.id);
    return true;
  }

  /** A listed source is trusted, and only a UDP source can be forged. */
  #bytesMaxOf({ method }: SipRequest, { address, transport }: Origin): number {
    const isBounded = method === 'INVITE' && !isReliable(transport) && !this.#core.sourceFilter.isListed(address);
    return isBounded ? UNACKNOWLEDGED_BYTES_MAX : Number.POSITIVE_INFINITY;
  }

  /** The application did not respond in time. */
  #onTimeout(pending: PendingRequest): void {
    const { transaction } = pending;
    if (transaction.request.method === 'INVITE') this.respondLocally(pending, 480, 'Temporarily Unavailable');
    else if (transaction.request.method === 'BYE') this.respondLocally(pending, 200, 'OK');
    else this.respondLocally(pending, 500, 'Server Internal Error');
  }

  respondLocally(pending: PendingRequest, status: number, reason: string): void {
    const { transaction, localTag, dialog } = pending;
    pending.cancelLimit();
    pending.provisionals?.stop();
    if (transaction.answered) return;
    if (dialog !== null && transaction.request.method === 'INVITE') dialog.remoteInvitePending = false;
    transaction.respond(makeResponse(transaction.request, status, reason, localTag));
  }

  #accepted(pending: PendingRequest, response: SipResponse, interval: SessionInterval | null): void {
    const { transaction, application, origin } = pending;
    const { request } = transaction;
    if (request.method === 'UPDATE' && pending.dialog !== null) {
      this.#core.dialogs.update(pending.dialog, refreshTarget(pending.dialog.state, request.headers));
      this.#options.sessions.accepted(pending.dialog, request, response, interval);
    }
    if (request.method !== 'INVITE') return;
    const dialog =
      pending.dialog ??
      this.#core.dialogs.add(
        dialogIdOfRequest(request),
        application,
        makeUasDialog(request, getHeader(response.headers, 'To') ?? '', origin),
        false,
      );
    this.#core.dialogs.update(dialog, refreshTarget(dialog.state, (pending.lastTargetRefresh ?? request).headers));
    this.#options.sessions.accepted(dialog, request, response, interval);
    dialog.answerRetransmission?.stop();
    dialog.answerRetransmission = new AnswerRetransmission({
      clock: this.#core.clock,
      cseq: cseqNumberOf(request),
      transactionId: transaction.id,
      repeat: () => transaction.repeat(response),
      onLost: () => this.#ackLost(dialog),
    });
  }

  #ackLost(dialog: LiveDialog): void {
    dialog.answerRetransmission = null;
    if (dialog.deferredBye !== null) sendDeferredBye(dialog);
    else this.#options.endDialog(dialog, ACK_TIMEOUT);
  }
}

/** The key of the caller's requests in the early dialog. */
function earlyKeyOf({ transaction, localTag }: PendingRequest): string {
  const { headers } = transaction.request;
  return dialogKey(getHeader(headers, 'Call-ID') ?? '', localTag, tagOf(getHeader(headers, 'From') ?? '') ?? '');
}

/** A challenge to a request without credentials, or to correct ones whose nonce is old (RFC 7616 §3.3). */
function answersNoGuess(request: SipRequest, { headers, status }: SipResponse): boolean {
  if (status !== 401) return false;
  const isStale = getHeaderLines(headers, 'WWW-Authenticate').some((value) => /\bstale\s*=\s*true\b/i.test(value));
  return isStale || getHeader(request.headers, 'Authorization') === null;
}
