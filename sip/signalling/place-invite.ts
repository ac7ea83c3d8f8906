import { randomUUID } from 'node:crypto';
import { createDigestClient } from '../authentication/create-digest-client.ts';
import type { DigestClient, DigestExchange } from '../authentication/digest-client.ts';
import { tagOf } from '../message/name-address.ts';
import { describeReason } from '../message/reason.ts';
import { minSeSeconds, sessionExpiresHeaders } from '../session-timer/session-interval.ts';
import { answerChallenge, isChallenge, repeatHeaders } from './answer-challenge.ts';
import { catchErrors } from './catch-errors.ts';
import { isConcealedFailure } from './concealed-failure.ts';
import { ConfirmedDialog } from './confirmed-dialog.ts';
import { headersByName } from './headers-by-name.ts';
import { makeInvite, type OutgoingInvite } from './invite-request.ts';
import { observedOutbound } from './observed-recovery.ts';
import { redirectContacts } from './redirect-contacts.ts';
import type { ServerLink } from './server-link.ts';
import type { InviteRequest, OutboundAttempt, OutboundOutcome } from './signalling.ts';
import type { SrfDialog, SrfMessage, SrfProvisional, SrfRequest, SrfResult } from './srf-client.ts';
import { readMessage } from './srf-message.ts';
import { proxiesOf } from './trunk-proxies.ts';

/** The host in From until a server has reported its address. */
const NO_ADDRESS = 'localhost';

/**
 * Starts an outbound call. Its outcome is settled once.
 * @param link null without a connected server: the outcome is then a refusal.
 * @throws SignallingError if a header or an address cannot be sent.
 */
export function placeInvite(link: ServerLink | null, inviteRequest: InviteRequest): OutboundAttempt {
  const sipCallId = randomUUID();
  const addresses = link?.addresses ?? [];
  const local = addresses.find(({ transport }) => transport === inviteRequest.trunk.transport) ?? addresses[0];
  const request = makeInvite(inviteRequest, sipCallId, local?.host ?? NO_ADDRESS);
  const attempt = new Attempt(sipCallId);
  if (link === null) attempt.settle({ type: 'refused', status: null, reason: 'no SIP server' });
  else attempt.start(link, request, inviteRequest);
  return attempt;
}

/** The statuses after which the next server of a trunk is tried (RFC 3263 §4.3), and none: the request was not sent. */
const NEXT_SERVER_STATUSES: readonly (number | null)[] = [408, 503, null];
/** When a failure at a concealed address shows: after that of a silent one, the server's 64·T1 = 32 s (RFC 3261 §17.1.1.2). */
const CONCEALED_FAILURE_MS = 33_000;
/** No carrier forks further; SDP answers of other forks are not kept. */
const FORKS_MAX = 16;

class Attempt implements OutboundAttempt {
  readonly sipCallId: string;
  readonly outcome: Promise<OutboundOutcome>;
  readonly #resolve: (outcome: OutboundOutcome) => void;
  #settled = false;
  /** The INVITE as sent, which a CANCEL needs. */
  #sent: SrfRequest | null = null;
  #trunkId: string | null = null;
  #ringing = false;
  #sessionRetried = false;
  /** The request to the other servers of the trunk, where they were resolved here. */
  #others: readonly OutgoingInvite[] = [];
  /** SDP answers of 18x responses by To tag: each fork separately (RFC 3261 §12.1). */
  readonly #earlyAnswers = new Map<string, string>();
  #onRinging: () => void = () => {};
  #onFault: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  /** Runs from a failure at a concealed address until a silent one would have failed. */
  #concealTimer: NodeJS.Timeout | null = null;
  #forgetLink: () => void = () => {};

  constructor(sipCallId: string) {
    this.sipCallId = sipCallId;
    const { promise, resolve } = Promise.withResolvers<OutboundOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
  }

  start(link: ServerLink, request: OutgoingInvite, inviteRequest: InviteRequest): void {
    const { credentials, offer, ringTimeoutMs, trunk, trunkId = null } = inviteRequest;
    this.#trunkId = trunkId;
    this.#onFault = link.owner.onFault;
    this.#timer = setTimeout(() => this.#cancelWith({ type: 'timeout' }), ringTimeoutMs);
    this.#forgetLink = link.onLost(() => this.#refuse(null, 'the SIP server was lost'));
    const digest = createDigestClient(credentials ?? null);
    const send = (to: OutgoingInvite) => this.#send(link, to, offer, digest, digest.exchange());
    if (link.server.resolve === undefined) {
      send(request);
      return;
    }
    void proxiesOf(link, trunk).then((proxies) => {
      if (this.#settled) return;
      if (typeof proxies === 'string') this.#refuse(null, proxies);
      else {
        const [first, ...others] = proxies;
        this.#others = others.map((proxy) => ({ ...request, ...proxy }));
        send({ ...request, ...first });
      }
    });
  }

  #send(
    link: ServerLink,
    request: OutgoingInvite,
    offer: string,
    digest: DigestClient,
    exchange: DigestExchange,
  ): void {
    const sentAtMs = performance.now();
    const progress = {
      cbRequest: (_error: unknown, sent?: SrfRequest) => this.#onSent(sent ?? null),
      cbProvisional: (res: SrfProvisional) => this.#onProvisional(res),
    };
    try {
      const { uri, headers, ...proxy } = request;
      link.srf.createUAC(uri, { localSdp: offer, headers: { ...headers }, ...proxy }, progress, (error, srfDialog) => {
        const sent = this.#sent;
        this.#sent = null;
        if (srfDialog === undefined) {
          const fail = (fault: unknown): void => {
            const again = this.#retryAfter(fault, sent, request, exchange);
            if (again !== null) this.#send(link, again, offer, digest, exchange);
          };
          if (!isConcealedFailure(link, request, statusOf(error))) return fail(error);
          const silence = new Error(`no response within ${CONCEALED_FAILURE_MS / 1_000} s`);
          this.#concealTimer = setTimeout(() => fail(silence), CONCEALED_FAILURE_MS - (performance.now() - sentAtMs));
          return;
        }
        const observed = observedOutbound(srfDialog);
        const dialog = new ConfirmedDialog(link, srfDialog, {
          localSdp: offer,
          digest,
          observed,
          trunkId: this.#trunkId,
        });
        void dialog.recoveryKnown().then(() => {
          // The 2xx won the race against our CANCEL.
          if (this.#settled) void dialog.bye();
          else this.settle({ type: 'answered', dialog, answer: this.#answerOf(srfDialog) });
          dialog.handedOver();
        });
      });
    } catch (error) {
      this.#refuse(null, reasonOf(error));
    }
  }

  /** The request with credentials after a challenge, or with a longer session; null if the attempt is over. */
  #retryAfter(
    error: unknown,
    sent: SrfMessage | null,
    request: OutgoingInvite,
    exchange: DigestExchange,
  ): OutgoingInvite | null {
    const result = resultOf(error);
    const elsewhere = this.#nextServer(error);
    if (elsewhere !== null) return elsewhere;
    const longer = result === null || sent === null ? null : this.#longerSession(sent, result, request);
    if (longer !== null) return longer;
    if (result === null || sent === null || this.#settled || !isChallenge(result.status)) {
      const contacts = result === null ? [] : redirectContacts(result);
      if (result === null || contacts.length === 0) this.#refuse(statusOf(error), reasonOf(error));
      else this.settle({ type: 'redirected', status: result.status, contacts });
      return null;
    }
    const outcome = answerChallenge(exchange, sent, result);
    if (outcome.type === 'retry') {
      return { ...request, headers: { ...request.headers, ...repeatHeaders(sent), ...outcome.headers } };
    }
    this.#refuse(result.status, outcome.reason);
    return null;
  }

  /** The request with the session interval that a 422 demands, once (RFC 4028 §7.3). The embedded server repeats it itself. */
  #longerSession(sent: SrfMessage, result: SrfResult, request: OutgoingInvite): OutgoingInvite | null {
    const response = readMessage(result);
    if (this.#settled || this.#sessionRetried || response?.kind !== 'response' || response.status !== 422) return null;
    const seconds = minSeSeconds(response);
    if (seconds === null) return null;
    this.#sessionRetried = true;
    const session = headersByName(sessionExpiresHeaders(null, seconds));
    return { ...request, headers: { ...request.headers, ...repeatHeaders(sent), ...session } };
  }

  /** The request to the next server of the trunk, if this one takes no calls and nothing has rung. */
  #nextServer(error: unknown): OutgoingInvite | null {
    if (this.#settled || this.#ringing || !NEXT_SERVER_STATUSES.includes(statusOf(error))) return null;
    const [next = null, ...others] = this.#others;
    this.#others = others;
    return next;
  }

  onRinging(listener: () => void): void {
    if (this.#ringing) queueMicrotask(() => catchErrors(this.#onFault, listener));
    else this.#onRinging = listener;
  }

  cancel(): void {
    this.#cancelWith({ type: 'cancelled' });
  }

  settle(outcome: OutboundOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#concealTimer !== null) clearTimeout(this.#concealTimer);
    this.#forgetLink();
    this.#resolve(outcome);
  }

  #refuse(status: number | null, reason: string): void {
    this.settle({ type: 'refused', status, reason });
  }

  /** A 2xx need not repeat the SDP answer of its fork's reliable 18x (RFC 3261 §13.2.1). */
  #answerOf({ remote, sip }: SrfDialog): string {
    return remote.sdp === '' ? (this.#earlyAnswers.get(sip.remoteTag ?? '') ?? '') : remote.sdp;
  }

  /** Settled at once, without waiting for the answer to the CANCEL. */
  #cancelWith(outcome: OutboundOutcome): void {
    if (this.#settled) return;
    this.settle(outcome);
    this.#sendCancel();
  }

  #onSent(sent: SrfRequest | null): void {
    this.#sent = sent;
    if (this.#settled) this.#sendCancel();
  }

  #sendCancel(): void {
    const sent = this.#sent;
    this.#sent = null;
    try {
      sent?.cancel(() => {});
    } catch {
      // The connection is gone, and the INVITE with it.
    }
  }

  #onProvisional(res: SrfProvisional): void {
    const { status, body } = res;
    if (body !== '' && this.#earlyAnswers.size < FORKS_MAX)
      this.#earlyAnswers.set(tagOf(res.get('To') ?? '') ?? '', body);
    if (this.#ringing || this.#settled || status < 180 || status > 189) return;
    this.#ringing = true;
    catchErrors(this.#onFault, this.#onRinging);
  }
}

/** The library's error holds the response that it is about. */
function resultOf(error: unknown): SrfResult | null {
  const result: unknown = error instanceof Error ? Reflect.get(error, 'res') : null;
  return isResult(result) ? result : null;
}

function isResult(result: unknown): result is SrfResult {
  if (typeof result !== 'object' || result === null) return false;
  return typeof Reflect.get(result, 'raw') === 'string' && typeof Reflect.get(result, 'status') === 'number';
}

function statusOf(error: unknown): number | null {
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : null;
  return typeof status === 'number' ? status : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const phrase: unknown = Reflect.get(error, 'reason');
  const described = describeReason(resultOf(error)?.get('Reason') ?? '');
  const texts = [typeof phrase === 'string' ? phrase : error.message, described];
  return texts.filter((text) => text !== null && text !== '').join(': ');
}
