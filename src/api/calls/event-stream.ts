import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../base/time/clock.ts';
import { type CallEventRecord, callEventBody } from '../../storage/events/call-event-repository.ts';

/** Events per database read. */
const BATCH_MAX = 100;
/** Minimum time between two database reads of a stream, also when its call stores events all the time. */
const READ_INTERVAL_MS = 100;
/**
 * Time since the last write of a stream after which it writes a comment line. It keeps proxies from closing the connection and detects
 * clients that are gone.
 */
const KEEP_ALIVE_MS = 15_000;

export interface EventSource {
  /** Events after a sequence number, at most `limit`. */
  readonly after: (sequence: number, limit: number) => Promise<readonly CallEventRecord[]>;
  /** Whether no further event can follow. Called before `after`, so that no event between the two is missed. */
  readonly isOver: () => Promise<boolean>;
  /** Whether the client may still read. Asked before each read: its key may have been revoked. */
  readonly isAllowed: () => Promise<boolean>;
  /** Calls the listener when an event of the call may have been stored. */
  readonly onStored: (listener: () => void) => () => void;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Sends the events of a call as server-sent events (HTML Living Standard §9.2): `id` is the sequence, `event` the kind, `data` the
 * webhook body. Resolves after the last event, or when the client is gone or not allowed any more. Rejects when the source rejects.
 */
export async function sendEvents(response: ServerResponse, source: EventSource, afterSequence: number): Promise<void> {
  const wakeUp = new WakeUp(source);
  response.once('close', () => wakeUp.wake());
  try {
    let sent = afterSequence;
    while (!response.destroyed && (await source.isAllowed())) {
      const isOver = await source.isOver();
      const events = await source.after(sent, BATCH_MAX);
      for (const event of events) {
        if (response.destroyed) return;
        sent = event.sequence;
        const flushed = response.write(`id: ${sent}\nevent: ${event.type}\ndata: ${callEventBody(event)}\n\n`);
        if (!flushed) await drained(response);
      }
      if (events.length > 0) wakeUp.wrote();
      if (events.length === BATCH_MAX) continue;
      if (isOver) return;
      if ((await wakeUp.wait()) === 'quiet') {
        response.write(': keep-alive\n\n');
        wakeUp.wrote();
      }
    }
  } finally {
    wakeUp.close();
  }
}

/** Resolves when the connection has taken what was written, or is closed. Leaves no listener: a slow reader makes it wait often. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Waits for the next stored event of the call, at most until the stream has written nothing for the keep-alive interval. */
class WakeUp {
  #isStored = false;
  #isQuiet = false;
  #release: () => void = () => {};
  #stopKeepAlive: () => void = () => {};
  readonly #unsubscribe: () => void;
  readonly #clock: EventSource['clock'];

  constructor({ onStored, clock }: EventSource) {
    this.#clock = clock;
    this.#unsubscribe = onStored(() => this.wake());
    this.wrote();
  }

  wake(): void {
    this.#isStored = true;
    this.#release();
  }

  /** The stream has written: the keep-alive interval begins again. */
  wrote(): void {
    this.#stopKeepAlive();
    this.#isQuiet = false;
    this.#stopKeepAlive = this.#clock.after(KEEP_ALIVE_MS, () => {
      this.#isQuiet = true;
      this.#release();
    });
  }

  async wait(): Promise<'stored' | 'quiet'> {
    await this.#pause(READ_INTERVAL_MS);
    if (!this.#isStored && !this.#isQuiet) {
      await new Promise<void>((resolve) => {
        this.#release = resolve;
      });
    }
    this.#isStored = false;
    return this.#isQuiet ? 'quiet' : 'stored';
  }

  close(): void {
    this.#unsubscribe();
    this.#stopKeepAlive();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve));
  }
}
