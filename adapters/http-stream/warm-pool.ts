import { type Dispatcher, Pool } from 'undici';

/** Kept between the turns of a conversation, so that no turn waits for TCP and TLS. A server's own hint goes first. */
const KEEP_ALIVE_MS = 60_000;
/** Dial, with TLS. */
const CONNECT_MS_MAX = 4_000;
/** Bytes of one answer; a server that sends more is cut off. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Connections to one provider. A generation has one to itself, and a call makes two at the most (its answer, and beside
 * it its variables): past so many, requests wait in line for as long as their own deadline allows.
 */
const CONNECTIONS_MAX = 2_048;

/**
 * The connections to one base URL, kept open between requests. HTTP/1.1 only: a generation is cancelled by closing its
 * connection, and over HTTP/2 that would be everyone's.
 */
export class WarmPool {
  readonly #pool: Pool;
  /** Of the base URL, without a slash at its end. */
  readonly #path: string;
  readonly #origin: string;
  #isClosed = false;

  /** Throws where `baseUrl` is no http or https URL. */
  constructor(baseUrl: string) {
    const { origin, pathname } = new URL(baseUrl);
    this.#origin = origin;
    this.#path = pathname.replace(/\/+$/, '');
    this.#pool = new Pool(origin, {
      connections: CONNECTIONS_MAX,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_MS_MAX },
      maxResponseSize: ANSWER_BYTES_MAX,
      allowH2: false,
      // The deadlines are the request's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** `path` goes behind the base URL's. Throws or tells the handler where the request can be none. */
  post(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    handler: Dispatcher.DispatchHandler,
  ): void {
    this.#pool.dispatch(
      { origin: this.#origin, path: this.#path + path, method: 'POST', headers: { ...headers }, body },
      handler,
    );
  }

  /**
   * Dials ahead of the next request, unless a connection is free or on its way. HTTP has no way to open a connection
   * alone: the server's root is asked for, without a key, and whatever it answers is dropped.
   */
  warm(): void {
    const { free, pending, queued } = this.#pool.stats;
    if (this.#isClosed || free > 0 || pending > 0 || queued > 0) return;
    this.#pool.dispatch({ origin: this.#origin, path: '/', method: 'GET' }, { onResponseError: () => undefined });
  }

  /** Lets go of every connection, also of those in use. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.destroy();
  }
}
