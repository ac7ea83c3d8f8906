import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, vi } from 'vitest';

/** Turns of the event loop after which all pending work inside the process is done. */
const TURNS_TO_SETTLE = 5;

/** Collects a port's events and proves that the port emits none synchronously, inside a call to it. */
export class EventLog<Event extends { readonly type: string }> {
  readonly events: Event[] = [];
  #isInside = false;
  #listener: (event: Event) => void = () => undefined;

  readonly emit = (event: Event): void => {
    expect(this.#isInside, `${event.type} was emitted from inside a call of the port`).toBe(false);
    this.events.push(event);
    this.#listener(event);
  };

  /** Runs a call to the port. An event emitted before it returns fails the test. */
  call<T>(run: () => T): T {
    this.#isInside = true;
    try {
      return run();
    } finally {
      this.#isInside = false;
    }
  }

  /** Runs `listener` synchronously for each event, as the engine does. */
  onEvent(listener: (event: Event) => void): void {
    this.#listener = listener;
  }

  types(): readonly string[] {
    return this.events.map((event) => event.type);
  }

  async until(type: Event['type'], times = 1): Promise<void> {
    await waitFor(() =>
      expect(this.events.filter((event) => event.type === type).length).toBeGreaterThanOrEqual(times),
    );
  }

  async untilCount(count: number): Promise<void> {
    await waitFor(() => expect(this.events.length).toBeGreaterThanOrEqual(count));
  }
}

export async function waitFor(assertion: () => void): Promise<void> {
  await vi.waitFor(assertion, { timeout: 30_000, interval: 2 });
}

export async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_SETTLE; turn++) await nextTurn();
}
