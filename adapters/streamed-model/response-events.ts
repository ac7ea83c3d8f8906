import { StringDecoder } from 'node:string_decoder';
import { StreamReportedError } from '../official-sdk/reported-error.ts';
import { EventStreamParser, type ServerSentEvent } from './event-stream.ts';

/** The last event of chat completions. */
const DONE = '[DONE]';

/**
 * Reads a streamed response: calls `take` with the JSON of each event, and resolves at its end or after `[DONE]`. The SDKs' own iterators
 * create some fifteen promises for each piece, a third of the CPU of a response.
 *
 * @throws SyntaxError for an event that is not JSON
 * @throws StreamReportedError for an error of the provider
 */
export async function readEvents({ body }: Response, take: (json: unknown) => void): Promise<void> {
  if (body === null) return;
  let isDone = false;
  const parser = new EventStreamParser((event) => {
    isDone ||= event.data === DONE;
    // Anthropic keeps the connection alive.
    if (!isDone && event.name !== 'ping') take(jsonOf(event));
  });
  // Cheaper than a `TextDecoder`, which goes through ICU for a stream.
  const decoder = new StringDecoder('utf8');
  const reader = body.getReader();
  try {
    while (!isDone) {
      const { done, value } = await reader.read();
      if (done) {
        parser.end();
        return;
      }
      parser.push(decoder.write(value));
    }
  } finally {
    // Of no effect on a body that has ended; its error was thrown above.
    reader.cancel().catch(() => undefined);
  }
}

function jsonOf({ data, name }: ServerSentEvent): unknown {
  const json: unknown = JSON.parse(data);
  const reported = typeof json === 'object' && json !== null && 'error' in json && json.error ? json.error : null;
  if (reported !== null || name === 'error') throw new StreamReportedError(reported ?? json);
  return json;
}
