import { SERVICE_URL } from './connection.ts';
import { type ReceivedEvent, readEvents } from './sent-events.ts';

/** How long after a lost connection the next one is tried, ms. */
const RECONNECT_MS = 2_000;
const NO_FURTHER_EVENT = 204;
/** Passes: too many streams or requests. */
const TOO_MANY = 429;

export interface EventFollower {
  readonly onEvents: (events: readonly ReceivedEvent[]) => void;
  /** Whether the stream is open; only at a change. */
  readonly onConnection?: (isConnected: boolean) => void;
  readonly stop: AbortSignal;
}

/**
 * Reads an event stream of the API until `stop` aborts, and connects again after the last event. `EventSource` cannot send the
 * header with the key, and a key in the address would end in logs. Resolves with the status (4xx) that refused the stream; null: it
 * has no further event, or was stopped.
 */
export async function followEvents(
  path: string,
  secret: string,
  { onEvents, onConnection, stop }: EventFollower,
): Promise<number | null> {
  let lastId = '';
  while (!stop.aborted) {
    try {
      const headers = { 'x-api-key': secret, ...(lastId !== '' && { 'last-event-id': lastId }) };
      const response = await fetch(`${SERVICE_URL}${path}`, { headers, signal: stop });
      if (response.status === NO_FURTHER_EVENT) return null;
      if (response.status >= 400 && response.status < 500 && response.status !== TOO_MANY) return response.status;
      if (response.ok) onConnection?.(true);
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        if (!response.ok) continue;
        const { events, rest } = readEvents(text + chunk);
        text = rest;
        lastId = events.at(-1)?.id ?? lastId;
        if (events.length > 0) onEvents(events);
      }
    } catch {
      // The connection was lost, or `stop` ended it.
    }
    if (stop.aborted) return null;
    onConnection?.(false);
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
  return null;
}
