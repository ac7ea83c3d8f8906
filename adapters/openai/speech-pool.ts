import type { Dispatcher } from 'undici';
import { ConnectionPool } from '../http/connection-pool.ts';
import type { MultipartForm } from './multipart-form.ts';

// undici itself, not the SDK as for the models: it takes 0.1 ms from a text to its socket where the SDK over `fetch` takes
// 0.3 ms and far more on a busy machine, and of the SDK's own nothing is left to use: no events, no types of an answer.

/** Connections to one speech server, shared by all calls. */
export class SpeechPool {
  readonly #pool: ConnectionPool;
  readonly #authorization: string;

  /** `baseUrl` with the version: `https://api.openai.com/v1`. */
  constructor(baseUrl: string, apiKey: string) {
    this.#pool = new ConnectionPool(baseUrl);
    this.#authorization = `Bearer ${apiKey}`;
  }

  /** `POST /audio/speech`. Rejects where no answer comes, as undici tells it. */
  speak(request: object, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#ask('/audio/speech', 'application/json', JSON.stringify(request), signal);
  }

  /** `POST /audio/transcriptions`. Rejects where no answer comes, as undici tells it. */
  transcribe({ body, contentType }: MultipartForm, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.#ask('/audio/transcriptions', contentType, body, signal);
  }

  /** Dials ahead, so that the first words wait for neither TCP nor TLS. */
  warm(): void {
    this.#pool.warm();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #ask(
    path: string,
    contentType: string,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const headers = { authorization: this.#authorization, 'content-type': contentType };
    return this.#pool.request(path, headers, body, signal);
  }
}
