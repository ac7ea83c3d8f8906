import type { Clock } from '../../base/time/clock.ts';
import { T1_MS, T2_MS, TRANSACTION_TIMEOUT_MS } from '../transaction/timer-values.ts';

export interface AnswerRetransmissionOptions {
  readonly clock: Clock;
  /** CSeq number of the INVITE and of its ACK. */
  readonly cseq: number;
  readonly transactionId: string;
  readonly repeat: () => void;
  /** No ACK within 64·T1. At most once. */
  readonly onLost: () => void;
}

/**
 * Retransmits our 2xx after T1, then at doubled intervals up to T2, over every transport, until the ACK arrives or
 * 64·T1 have passed (RFC 3261 §13.3.1.4).
 */
export class AnswerRetransmission {
  readonly cseq: number;
  readonly transactionId: string;
  readonly #options: AnswerRetransmissionOptions;
  #intervalMs = T1_MS;
  #cancelRepeat: () => void;
  readonly #cancelLimit: () => void;

  constructor(options: AnswerRetransmissionOptions) {
    this.#options = options;
    this.cseq = options.cseq;
    this.transactionId = options.transactionId;
    this.#cancelRepeat = options.clock.after(this.#intervalMs, () => this.#repeat());
    this.#cancelLimit = options.clock.after(TRANSACTION_TIMEOUT_MS, () => {
      this.#cancelRepeat();
      options.onLost();
    });
  }

  stop(): void {
    this.#cancelRepeat();
    this.#cancelLimit();
  }

  #repeat(): void {
    this.#intervalMs = Math.min(this.#intervalMs * 2, T2_MS);
    this.#cancelRepeat = this.#options.clock.after(this.#intervalMs, () => this.#repeat());
    this.#options.repeat();
  }
}
