import { Agent, type Dispatcher } from 'undici';
import type { MultipartForm } from './multipart-form.ts';

// undici itself, not the SDK as for the models: it takes 0.1 ms from a text to its socket where the SDK over `fetch` takes
// 0.3 ms and far more on a busy machine, and of the SDK's own nothing is left to use: no events, no types of an answer.

/** Kept between the turns of a conversation, so that no turn waits for TCP and TLS. A server's own hint goes first. */
const KEEP_ALIVE_MS = 60_000;
/** Dial, with TLS. */
const CONNECT_MS_MAX = 4_000;
/** Bytes of one answer, near three minutes; a server that sends more is cut off. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** Connections to one speech server, shared by all calls. */
export class SpeechPool {
  readonly #agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS_MAX },
    maxResponseSize: ANSWER_BYTES_MAX,
    // A segment is cancelled by closing its connection; over HTTP/2 that would be everyone's.
    allowH2: false,
  });
  readonly #origin: string;
  readonly #path: string;
  readonly #authorization: string;

  /** `baseUrl` with the version: `https://api.openai.com/v1`. */
  constructor(baseUrl: string, apiKey: string) {
    const { origin, pathname } = new URL(baseUrl);
    this.#origin = origin;
    this.#path = pathname.replace(/\/+$/, '');
    this.#authorization = `Bearer ${apiKey}`;
  }

  /** `POST /audio/speech`. Rejects where no answer comes, as undici tells it. */
  speak(request: object, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#agent.request({
      origin: this.#origin,
      path: `${this.#path}/audio/speech`,
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
  }

  /** `POST /audio/transcriptions`. Rejects where no answer comes, as undici tells it. */
  transcribe({ body, contentType }: MultipartForm, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#agent.request({
      origin: this.#origin,
      path: `${this.#path}/audio/transcriptions`,
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': contentType },
      body,
      signal,
    });
  }

  /** Any small request makes the connection, so that the first words wait for neither TCP nor TLS; its answer is no matter. */
  warmUp(signal?: AbortSignal): void {
    const headers = { authorization: this.#authorization };
    this.#agent
      .request({
        origin: this.#origin,
        path: `${this.#path}/models`,
        method: 'GET',
        headers,
        ...(signal && { signal }),
      })
      .then(({ body }) => body.dump())
      .catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
