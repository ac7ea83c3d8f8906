import type { ReceivedEvent } from '../api/sent-events.ts';
import type { RunningCall } from '../generated/client.ts';

/** Shortest time between two drawings of the list, ms, however many messages arrive. */
const DRAW_INTERVAL_MS = 250;

/** The running calls by their id. */
export type RunningCallsById = ReadonlyMap<string, RunningCall>;

interface Message {
  readonly calls: readonly RunningCall[];
  /** Ids; only in `changes`. */
  readonly ended?: readonly string[];
}

/** The list after events of `GET /v1/calls/running/events`. `calls` replaces the list. */
export function listAfter(before: RunningCallsById, events: readonly ReceivedEvent[]): RunningCallsById {
  const list = new Map(before);
  for (const { type, data } of events) {
    const { calls, ended = [] }: Message = JSON.parse(data);
    if (type === 'calls') list.clear();
    for (const id of ended) list.delete(id);
    for (const call of calls) list.set(call.id, call);
  }
  return list;
}

export interface RunningListView {
  /** Newest first; null: the first message has not arrived. */
  readonly calls: readonly RunningCall[] | null;
  readonly isConnected: boolean;
}

/** Gathers the messages of the stream and notifies its listeners as often as a page can draw. */
export class RunningList {
  #calls: RunningCallsById | null = null;
  #view: RunningListView = { calls: null, isConnected: false };
  #isConnected = false;
  #isDue = false;
  readonly #listeners = new Set<() => void>();

  get view(): RunningListView {
    return this.#view;
  }

  receive(events: readonly ReceivedEvent[]): void {
    this.#calls = listAfter(this.#calls ?? new Map(), events);
    this.#tellSoon();
  }

  connected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#tellSoon();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tellSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      const calls = this.#calls === null ? null : newestFirst(this.#calls);
      this.#view = { calls, isConnected: this.#isConnected };
      for (const listener of this.#listeners) listener();
    }, DRAW_INTERVAL_MS);
  }
}

function newestFirst(calls: RunningCallsById): readonly RunningCall[] {
  return [...calls.values()].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}
