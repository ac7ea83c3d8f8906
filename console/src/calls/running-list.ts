import type { ReceivedEvent } from '../api/sent-events.ts';
import type { RunningCall } from '../generated/client.ts';

/** Shortest time between two drawings of the list, ms, however many messages arrive. */
const DRAW_INTERVAL_MS = 250;

/** The running calls by their id. */
export type RunningCallsById = ReadonlyMap<string, RunningCall>;

interface Message {
  readonly calls: readonly RunningCall[];
  /** Whether older calls run that the service leaves out. */
  readonly truncated: boolean;
  /** Ids; only in `changes`. */
  readonly ended?: readonly string[];
  /** Ids of calls whose places newer ones have taken; only in `changes`. */
  readonly left_out?: readonly string[];
}

export interface KnownRunningCalls {
  readonly byId: RunningCallsById;
  readonly isTruncated: boolean;
}

const EMPTY: KnownRunningCalls = { byId: new Map(), isTruncated: false };

/** The list after events of `GET /v1/calls/running/events`. `calls` replaces the list. */
export function listAfter(
  { byId, isTruncated }: KnownRunningCalls,
  events: readonly ReceivedEvent[],
): KnownRunningCalls {
  const list = new Map(byId);
  let isListTruncated = isTruncated;
  for (const { type, data } of events) {
    const { calls, ended = [], left_out: leftOut = [], truncated }: Message = JSON.parse(data);
    if (type === 'calls') list.clear();
    for (const id of [...ended, ...leftOut]) list.delete(id);
    for (const call of calls) list.set(call.id, call);
    isListTruncated = truncated;
  }
  return { byId: list, isTruncated: isListTruncated };
}

export interface RunningListView {
  /** Newest first; null: the first message has not arrived. */
  readonly calls: readonly RunningCall[] | null;
  /** Whether older calls run that the list leaves out. */
  readonly isTruncated: boolean;
  readonly isConnected: boolean;
}

/** Gathers the messages of the stream and notifies its listeners as often as a page can draw. */
export class RunningList {
  #list: KnownRunningCalls | null = null;
  #view: RunningListView = { calls: null, isTruncated: false, isConnected: false };
  #isConnected = false;
  #isDue = false;
  readonly #listeners = new Set<() => void>();

  get view(): RunningListView {
    return this.#view;
  }

  receive(events: readonly ReceivedEvent[]): void {
    this.#list = listAfter(this.#list ?? EMPTY, events);
    this.#notifySoon();
  }

  connected(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#notifySoon();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notifySoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      const calls = this.#list === null ? null : newestFirst(this.#list.byId);
      this.#view = { calls, isTruncated: this.#list?.isTruncated ?? false, isConnected: this.#isConnected };
      for (const listener of this.#listeners) listener();
    }, DRAW_INTERVAL_MS);
  }
}

function newestFirst(calls: RunningCallsById): readonly RunningCall[] {
  return [...calls.values()].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}
