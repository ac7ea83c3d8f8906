import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, Client, Dispatcher } from 'undici';

/** Kept between the turns of a conversation, so that no turn waits for TCP and TLS. A server's own hint goes first. */
const KEEP_ALIVE_MS = 60_000;
/** Dial, with TLS. */
const CONNECT_MS_MAX = 4_000;
/** Bytes of one answer; a server that sends more is cut off. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Connections to one provider. A generation has one to itself, and a call makes two at the most (its answer, and beside
 * it its variables): past so many something else is wrong, and a request fails at once.
 */
const CONNECTIONS_MAX = 2_048;
/** An answer that nobody waits for may take so long; then its connection is let go. */
const UNHEARD_MS_MAX = 5_000;

const UNHEARD: Dispatcher.DispatchHandler = {};

/**
 * The connections to one base URL, kept open between requests; the one used last is used next, so that those too many
 * grow old. undici's own pool picks among its clients without looking whether they are connected, and so dials while
 * another connection lies idle. HTTP/1.1 only: a generation is cancelled by closing its connection, and over HTTP/2 that
 * would be everyone's.
 */
export class ConnectionPool {
  readonly #origin: string;
  /** Of the base URL, without a slash at its end. */
  readonly #path: string;
  readonly #connectionsMax: number;
  /** Shared by all connections, and so are the TLS sessions that it remembers. */
  readonly #connect = buildConnector({ timeout: CONNECT_MS_MAX, allowH2: false });
  readonly #clients = new Set<Client>();
  readonly #idle: Client[] = [];
  readonly #requests = new Requests((options, handler) => this.#dispatch(options, handler, () => undefined));
  #isWarming = false;
  #isClosed = false;

  /** Throws where `baseUrl` is no http or https URL. */
  constructor(baseUrl: string, connectionsMax = CONNECTIONS_MAX) {
    const { origin, pathname } = new URL(baseUrl);
    this.#connectionsMax = connectionsMax;
    this.#origin = origin;
    this.#path = pathname.replace(/\/+$/, '');
  }

  /** `path` goes behind the base URL's. Throws, or tells the handler, where the request can be none. */
  post(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    handler: Dispatcher.DispatchHandler,
  ): void {
    const options = { path: this.#path + path, method: 'POST', headers: { ...headers }, body } as const;
    this.#dispatch(options, handler, () => undefined);
  }

  /**
   * The same for an answer that is read as a stream, as undici's own `request` gives it: rejects where none comes. The
   * connection is free once the body has been read to its end, and lost where it is not.
   */
  request(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    return this.#requests.request({ path: this.#path + path, method: 'POST', headers: { ...headers }, body, signal });
  }

  /**
   * Dials ahead of the next request, unless a connection is free or on its way, or none can be had. HTTP has no way to open a connection
   * alone: the server's root is asked for, without a key, and whatever it answers is dropped.
   */
  warm(): void {
    if (this.#isWarming || this.#idle.length > 0 || !this.#canDial) return;
    this.#isWarming = true;
    const deadlines = { headersTimeout: UNHEARD_MS_MAX, bodyTimeout: UNHEARD_MS_MAX };
    this.#dispatch({ path: '/', method: 'GET', ...deadlines }, UNHEARD, () => {
      this.#isWarming = false;
    });
  }

  /** Lets go of every connection, also of those in use. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients].map((client) => client.destroy()));
  }

  get #canDial(): boolean {
    return !this.#isClosed && this.#clients.size < this.#connectionsMax;
  }

  #dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, onOver: () => void): void {
    const free = this.#isClosed ? undefined : this.#idle.pop();
    if (free === undefined && !this.#canDial) throw new Error('no connection can be had');
    const client = free ?? this.#dial();
    const over = (isReusable: boolean): void => {
      onOver();
      if (isReusable && !this.#isClosed) this.#idle.push(client);
      else this.#drop(client);
    };
    client.dispatch(options, new Lease(handler, over));
  }

  #dial(): Client {
    const client = new Client(this.#origin, {
      connect: this.#connect,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: ANSWER_BYTES_MAX,
      // The deadlines are the request's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#clients.add(client);
    // The server, or its age, has ended a connection that was free.
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

/** undici's `request` over connections that are chosen elsewhere. */
class Requests extends Dispatcher {
  readonly #send: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void;

  constructor(send: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void) {
    super();
    this.#send = send;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#send(options, handler);
    return true;
  }
}

/** Passes a request's course on, and tells once when its connection is free or lost. */
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
