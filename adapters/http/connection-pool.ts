import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, Client, type Dispatcher } from 'undici';

/** Idle connections stay open between turns, so that no turn waits for TCP and TLS. A server's own hint takes precedence. */
const KEEP_ALIVE_MS = 60_000;
/** Dial, with TLS. */
const CONNECT_MS_MAX = 4_000;
/** Bound of one response; a server that sends more is disconnected. Unit: bytes. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Bound of connections to one provider; a request beyond it fails at once. A generation occupies one connection, and a call has at
 * most two generations (response and variable extraction).
 */
const CONNECTIONS_MAX = 2_048;
/** Deadline of the request that opens a connection in advance; then the connection is closed. Unit: ms. */
const WARM_UP_MS_MAX = 5_000;

const UNHEARD: Dispatcher.DispatchHandler = {};

/**
 * Connections to one base URL, kept open between requests. The one used last is used next, so that surplus ones expire. undici's
 * pool does not prefer connected clients and would open connections while others are idle. HTTP/1.1 only: a generation is
 * cancelled by closing its connection, which HTTP/2 shares.
 */
export class ConnectionPool {
  /** Origin of the base URL: `https://api.openai.com`. */
  readonly origin: string;
  readonly #connectionsMax: number;
  /** Shared by all connections, so that TLS sessions are resumed. */
  readonly #connect = buildConnector({ timeout: CONNECT_MS_MAX, allowH2: false });
  readonly #clients = new Set<Client>();
  readonly #idle: Client[] = [];
  #isWarming = false;
  #isClosed = false;

  /** Throws if `baseUrl` is not an http or https URL. */
  constructor(baseUrl: string, connectionsMax = CONNECTIONS_MAX) {
    this.#connectionsMax = connectionsMax;
    this.origin = new URL(baseUrl).origin;
  }

  /**
   * Sends a request. An invalid one throws or fails the handler, and one beyond the bound of connections throws. The connection is
   * reused only if the response is read to its end.
   */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#dispatch(options, handler, () => undefined);
  }

  /**
   * Opens a connection before the next request, unless one is idle or opening, or the bound is reached. HTTP cannot open a connection
   * without a request: this one gets the server's root without a key and ignores the response.
   */
  warm(): void {
    if (this.#isWarming || this.#idle.length > 0 || !this.#canDial) return;
    this.#isWarming = true;
    const deadlines = { headersTimeout: WARM_UP_MS_MAX, bodyTimeout: WARM_UP_MS_MAX };
    this.#dispatch({ path: '/', method: 'GET', ...deadlines }, UNHEARD, () => {
      this.#isWarming = false;
    });
  }

  /** Closes all connections, those in use too. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients].map((client) => client.destroy()));
  }

  get #canDial(): boolean {
    return !this.#isClosed && this.#clients.size < this.#connectionsMax;
  }

  #dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, onOver: () => void): void {
    const free = this.#isClosed ? undefined : this.#idle.pop();
    if (free === undefined && !this.#canDial) throw new Error('no connection is available');
    const client = free ?? this.#dial();
    const over = (isReusable: boolean): void => {
      onOver();
      if (isReusable && !this.#isClosed) this.#idle.push(client);
      else this.#drop(client);
    };
    client.dispatch(options, new Lease(handler, over));
  }

  #dial(): Client {
    const client = new Client(this.origin, {
      connect: this.#connect,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: ANSWER_BYTES_MAX,
      // The deadlines are the request's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#clients.add(client);
    // An idle connection was closed by the server or expired.
    client.on('disconnect', () => {
      if (this.#idle.includes(client)) this.#drop(client);
    });
    return client;
  }

  #drop(client: Client): void {
    this.#clients.delete(client);
    const at = this.#idle.indexOf(client);
    if (at !== -1) this.#idle.splice(at, 1);
    void client.destroy();
  }
}

/** Passes the events of a request on, and reports once when its connection is free or lost. */
class Lease implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #over: (isReusable: boolean) => void;

  constructor(handler: Dispatcher.DispatchHandler, over: (isReusable: boolean) => void) {
    this.#handler = handler;
    this.#over = over;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#handler.onResponseStart?.(controller, status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#over(true);
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#over(false);
    this.#handler.onResponseError?.(controller, error);
  }
}
