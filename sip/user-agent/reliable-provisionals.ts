import type { Clock } from '../../base/time/clock.ts';
import { cseqNumberOf } from '../dialog/dialog-state.ts';
import type { ApplicationMessage } from '../dialog/sip-application.ts';
import { addMissing, getHeader, getListValues } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import { T1_MS, TRANSACTION_TIMEOUT_MS } from '../transaction/timer-values.ts';

export interface ReliableProvisionalsOptions {
  readonly clock: Clock;
  readonly invite: SipRequest;
  /** RSeq of the first: 1 to 2³¹ − 1 (RFC 3262 §3). */
  readonly firstRseq: number;
  readonly send: (response: SipResponse) => void;
  readonly repeat: (response: SipResponse) => void;
  /** No PRACK within 64·T1. At most once. */
  readonly onLost: () => void;
}

interface Unacknowledged {
  readonly rseq: number;
  readonly response: SipResponse;
  intervalMs: number;
  cancelRepeat: () => void;
  readonly cancelLimit: () => void;
}

/**
 * The reliable provisional responses to one INVITE (RFC 3262 §3). Each is repeated, at doubled intervals from T1 on,
 * until its PRACK arrives. One is sent at a time; of several queued responses, only the last is sent.
 */
export class ReliableProvisionals {
  readonly #options: ReliableProvisionalsOptions;
  #nextRseq: number;
  #current: Unacknowledged | null = null;
  #queued: SipResponse | null = null;
  /** A response that the final response overtook: its PRACK may still come (RFC 3262 §3). */
  #overtaken: Pick<Unacknowledged, 'rseq' | 'response'> | null = null;
  readonly #waiting: (() => void)[] = [];

  constructor(options: ReliableProvisionalsOptions) {
    this.#options = options;
    this.#nextRseq = options.firstRseq;
  }

  /** @returns the response as sent; the given one while it is queued. */
  send(response: SipResponse): SipResponse {
    if (this.#current !== null) {
      this.#queued = response;
      return response;
    }
    const { clock, onLost } = this.#options;
    const rseq = this.#nextRseq;
    this.#nextRseq += 1;
    const more = [
      { name: 'Require', value: '100rel' },
      { name: 'RSeq', value: String(rseq) },
    ];
    const reliable = { ...response, headers: addMissing(response.headers, more) };
    const current: Unacknowledged = {
      rseq,
      response: reliable,
      intervalMs: T1_MS,
      cancelRepeat: clock.after(T1_MS, () => this.#repeat(current)),
      cancelLimit: clock.after(TRANSACTION_TIMEOUT_MS, () => {
        this.stop();
        onLost();
      }),
    };
    this.#current = current;
    this.#options.send(reliable);
    return reliable;
  }

  /** Stops the current response if the PRACK acknowledges it (RFC 3262 §3). @returns the acknowledged response; null for none. */
  acknowledge(prack: SipRequest): SipResponse | null {
    const current = this.#current;
    const [, rseq, cseq, method] = /^(\d+)\s+(\d+)\s+(\S+)$/.exec(getHeader(prack.headers, 'RAck') ?? '') ?? [];
    const isOurs = Number(cseq) === cseqNumberOf(this.#options.invite) && method === 'INVITE';
    if (!isOurs) return null;
    const overtaken = this.#overtaken;
    if (current === null && overtaken !== null && Number(rseq) === overtaken.rseq) {
      this.#overtaken = null;
      return overtaken.response;
    }
    if (current === null || Number(rseq) !== current.rseq) return null;
    const queued = this.#queued;
    this.stop();
    this.#overtaken = null;
    if (queued !== null) this.send(queued);
    return current.response;
  }

  /** Resolves once all our SDP was acknowledged by PRACK, before which no 2xx may be sent (RFC 3262 §3). */
  async sdpAcknowledged(): Promise<void> {
    while (this.#current !== null && this.#current.response.body.length > 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The final response was sent: stops all repetition. */
  stop(): void {
    this.#current?.cancelRepeat();
    this.#current?.cancelLimit();
    this.#overtaken = this.#current ?? this.#overtaken;
    this.#current = null;
    this.#queued = null;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #repeat(current: Unacknowledged): void {
    current.intervalMs *= 2;
    current.cancelRepeat = this.#options.clock.after(current.intervalMs, () => this.#repeat(current));
    this.#options.repeat(current.response);
  }
}

/**
 * Whether a provisional response must be reliable: the caller requires it (except for 100), or the application requests
 * it and the caller supports it (RFC 3262 §3).
 */
export function mustBeReliable(
  invite: SipRequest,
  applicationResponse: Extract<ApplicationMessage, { kind: 'response' }>,
): boolean {
  if (applicationResponse.status <= 100 || applicationResponse.status >= 200) return false;
  if (getListValues(invite.headers, 'Require').includes('100rel')) return true;
  const isRequested = getListValues(applicationResponse.headers, 'Require').includes('100rel');
  return isRequested && getListValues(invite.headers, 'Supported').includes('100rel');
}
