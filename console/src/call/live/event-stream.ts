import { SERVICE_URL } from '../../api/connection.ts';
import { type ReceivedEvent, readEvents } from './sent-events.ts';

/** How long after a lost connection the next one is tried, ms. */
const RECONNECT_MS = 2_000;
const NO_FURTHER_EVENT = 204;

/**
 * Reads an event stream of the API until `stop` aborts, and connects again after the last event. `EventSource` cannot send the
 * header with the key, and a key in the address would end in logs.
 */
export async function followEvents(
  path: string,
  secret: string,
  onEvents: (events: readonly ReceivedEvent[]) => void,
  stop: AbortSignal,
): Promise<void> {
  let lastId = '';
  while (!stop.aborted) {
    try {
      const headers = { 'x-api-key': secret, ...(lastId !== '' && { 'last-event-id': lastId }) };
      const response = await fetch(`${SERVICE_URL}${path}`, { headers, signal: stop });
      if (response.status === NO_FURTHER_EVENT || (response.status >= 400 && response.status < 500)) return;
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const { events, rest } = readEvents(text + chunk);
        text = rest;
        lastId = events.at(-1)?.id ?? lastId;
        if (events.length > 0) onEvents(events);
      }
    } catch {
      // The connection was lost, or `stop` ended it.
    }
    if (!stop.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
