import { getHeader } from '../../sip/message/headers.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';

/** How long a test waits for a message before it fails. */
const WAIT_MS = 20_000;

interface Waiter {
  readonly matches: (message: SipMessage) => boolean;
  readonly resolve: (message: SipMessage) => void;
}

/** Received messages that no test has taken yet. */
export class MessageInbox {
  readonly unread: SipMessage[] = [];
  readonly #waiters: Waiter[] = [];

  /** Delivers the message to the first matching waiter, or stores it. */
  push(message: SipMessage): void {
    const index = this.#waiters.findIndex(({ matches }) => matches(message));
    const [waiter] = index < 0 ? [] : this.#waiters.splice(index, 1);
    if (waiter === undefined) this.unread.push(message);
    else waiter.resolve(message);
  }

  /**
   * Takes the first matching message, stored or future.
   *
   * @param wanted describes the message in the error after `waitMs`
   */
  next<M extends SipMessage>(
    matches: (message: SipMessage) => message is M,
    wanted: string,
    waitMs = WAIT_MS,
  ): Promise<M> {
    const index = this.unread.findIndex(matches);
    const [found] = index < 0 ? [] : this.unread.splice(index, 1);
    if (found !== undefined && matches(found)) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (message) => {
          clearTimeout(limit);
          if (matches(message)) resolve(message);
        },
      };
      const limit = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        const others = this.unread.map(summaryOf).join(', ') || 'nothing';
        reject(new Error(`no ${wanted} within ${waitMs} ms, but ${others}`));
      }, waitMs);
      this.#waiters.push(waiter);
    });
  }

  /** The next request of any of these methods. */
  request(methods: readonly string[], waitMs?: number): Promise<SipRequest> {
    return this.next(
      (message): message is SipRequest => message.kind === 'request' && methods.includes(message.method),
      methods.join(' or '),
      waitMs,
    );
  }

  /** The next response with this method in its CSeq, and with this status; null: any. */
  response(method: string | null, status: number | null, waitMs?: number): Promise<SipResponse> {
    return this.next(
      (message): message is SipResponse =>
        message.kind === 'response' &&
        (status === null || message.status === status) &&
        (method === null || (getHeader(message.headers, 'CSeq') ?? '').endsWith(` ${method}`)),
      `${status ?? 'response'} to ${method ?? 'any request'}`,
      waitMs,
    );
  }
}

/** Such as `INVITE` for a request, and `503 to INVITE` for a response. */
function summaryOf(message: SipMessage): string {
  if (message.kind === 'request') return message.method;
  return `${message.status} to ${(getHeader(message.headers, 'CSeq') ?? '').split(' ').at(-1)}`;
}
