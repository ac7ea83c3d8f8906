import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../base/time/clock.ts';
import { type CallEventRecord, callEventBody } from '../../storage/events/call-event-repository.ts';

/** Events read at once. */
const BATCH_MAX = 100;
/** From one look at the database to the next: a storm of changes elsewhere costs a watcher no more. */
const LOOK_AGAIN_MS = 100;
/** A line that says nothing, so that proxies keep the connection and a client that is gone is found out. */
const KEEP_ALIVE_MS = 15_000;

export interface EventSource {
  /** Events behind a place in the call's order, at most `limit`. */
  readonly after: (sequence: number, limit: number) => Promise<readonly CallEventRecord[]>;
  /** Whether nothing more can come. Asked before `after`, so that no event is missed between them. */
  readonly isOver: () => Promise<boolean>;
  readonly onStored: (listener: () => void) => () => void;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Sends a call's events as server-sent events (HTML Living Standard §9.2): `id` is the sequence, `event` the kind, `data` what
 * a receiver of webhooks gets. Resolves once the call is over and all was sent, or the client is gone; rejects where the
 * source does.
 */
export async function sendEvents(response: ServerResponse, source: EventSource, afterSequence: number): Promise<void> {
  const wakeUp = new WakeUp(source);
  response.once('close', () => wakeUp.wake());
  try {
    let sent = afterSequence;
    for (;;) {
      const isOver = await source.isOver();
      const events = await source.after(sent, BATCH_MAX);
      for (const event of events) {
        if (response.destroyed) return;
        sent = event.sequence;
        const flushed = response.write(`id: ${sent}\nevent: ${event.type}\ndata: ${callEventBody(event)}\n\n`);
        if (!flushed) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      if (response.destroyed || (isOver && events.length === 0)) return;
      if (events.length === 0 && (await wakeUp.wait()) === 'quiet') response.write(': still here\n\n');
    }
  } finally {
    wakeUp.close();
  }
}

/** Waits for the next change, whatever it is of, and not for longer than the line may be quiet. */
class WakeUp {
  #stored = false;
  #release: () => void = () => {};
  readonly #unsubscribe: () => void;
  readonly #clock: EventSource['clock'];

  constructor({ onStored, clock }: EventSource) {
    this.#clock = clock;
    this.#unsubscribe = onStored(() => this.wake());
  }

  wake(): void {
    this.#stored = true;
    this.#release();
  }

  async wait(): Promise<'stored' | 'quiet'> {
    await this.#pause(LOOK_AGAIN_MS);
    if (!this.#stored) {
      await new Promise<void>((resolve) => {
        const stop = this.#clock.after(KEEP_ALIVE_MS, resolve);
        this.#release = () => {
          stop();
          resolve();
        };
      });
    }
    const stored = this.#stored;
    this.#stored = false;
    return stored ? 'stored' : 'quiet';
  }

  close(): void {
    this.#unsubscribe();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve));
  }
}
