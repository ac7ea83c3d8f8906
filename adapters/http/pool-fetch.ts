import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ConnectionPool } from './connection-pool.ts';
import { PooledResponse, ResponseLostError } from './pooled-response.ts';

/**
 * The request headers that are sent. The SDKs add others: a description of this machine, and those of
 * `OPENAI_CUSTOM_HEADERS` and `ANTHROPIC_CUSTOM_HEADERS`, which may hold a key and would go to every server.
 */
const REQUEST_HEADERS = ['accept', 'anthropic-version', 'api-key', 'authorization', 'content-type', 'user-agent'];
/** The response headers that are read. The SDKs put all headers into their errors. */
const RESPONSE_HEADERS = ['content-length', 'content-type', 'retry-after', 'retry-after-ms'];
/** Bytes of a body that wait to be read; then the connection is paused. Four seconds of speech at 24 kHz. */
const UNREAD_BYTES_MAX = 192 * 1024;
/** Time for a response that is read no further to end, so that its connection is reused; then it is closed. Unit: ms. */
const DRAIN_MS_MAX = 1_000;
/** Bytes of a refusal that are read: enough for its code. The SDKs wait for the end of its body. */
const REFUSAL_BYTES_MAX = 16 * 1024;
/** A response with one of these statuses has no body, and `Response` accepts none. */
const BODILESS = [204, 205, 304];

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` for the official SDKs, over a pool's connections. It differs from undici's in what the SDKs need: no redirects, no
 * other origin than the pool's, only known headers, one write of the request. It also costs less. The SDKs look for `Response`
 * before they send a form.
 */
export function fetchOver(pool: ConnectionPool): Fetch & { readonly Response: typeof Response } {
  const send: Fetch = async (input, init = {}) => {
    const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
    if (origin !== pool.origin) throw new Error('the URL belongs to another server');
    const { signal, method = 'GET' } = init;
    const headers = sentHeaders(init.headers instanceof Headers ? init.headers : new Headers(init.headers));
    const { content, contentType } = await contentOf(init.body ?? null);
    if (contentType !== null) headers['content-type'] = contentType;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw signal.reason;
      const options = { path: pathname + search, method, headers, body: content };
      pool.dispatch(options, new Exchange(resolve, reject, signal ?? undefined));
    });
  };
  return Object.assign(send, { Response });
}

function sentHeaders(headers: Headers): Record<string, string> {
  const sent: Record<string, string> = {};
  for (const name of REQUEST_HEADERS) {
    const value = headers.get(name);
    if (value !== null) sent[name] = value;
  }
  return sent;
}

interface Content {
  readonly content: string | Buffer | null;
  /** Content type of a form, with its boundary. */
  readonly contentType: string | null;
}

async function contentOf(body: NonNullable<RequestInit['body']> | null): Promise<Content> {
  if (body === null || typeof body === 'string') return { content: body, contentType: null };
  const encoded = new Response(body);
  const content = Buffer.from(await encoded.arrayBuffer());
  return { content, contentType: encoded.headers.get('content-type') };
}

/** One request and its response, whose body is a stream with a bound. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = (): void => this.#aborted();
  #controller: Dispatcher.DispatchController | undefined;
  #response: PooledResponse | undefined;
  /** Undefined before the response, and after its end. */
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #refusalBytes = 0;
  #drain: NodeJS.Timeout | undefined;

  constructor(
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request was aborted while it waited for a connection.
    if (this.#signal?.aborted) controller.abort(new Error('aborted'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // undici reports 1xx too.
    if (status < 200) return;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          this.#body = stream;
        },
        pull: () => controller.resume(),
        cancel: () => this.#unread(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: UNREAD_BYTES_MAX }),
    );
    const read = RESPONSE_HEADERS.flatMap((name): [string, string][] => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? (value[0] ?? '') : value]];
    });
    this.#response = new PooledResponse(BODILESS.includes(status) ? null : body, { status, headers: read });
    this.#resolve(this.#response);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#body === undefined) return;
    this.#response?.received(piece);
    this.#body.enqueue(piece);
    if ((this.#body.desiredSize ?? 0) <= 0) controller.pause();
    if (this.#response?.ok === false) this.#boundRefusal(piece.length);
  }

  onResponseEnd(): void {
    this.#body?.close();
    this.#release();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#response === undefined) this.#reject(error);
    else this.#body?.error(new ResponseLostError(error));
    this.#release();
  }

  #aborted(): void {
    const reason: unknown = this.#signal?.reason;
    if (this.#response === undefined) this.#reject(reason);
    else this.#body?.error(reason);
    this.#release();
    this.#controller?.abort(new Error('aborted'));
  }

  #boundRefusal(bytes: number): void {
    this.#refusalBytes += bytes;
    if (this.#refusalBytes < REFUSAL_BYTES_MAX) return;
    this.#body?.close();
    this.#release();
    this.#controller?.abort(new Error('refused at length'));
  }

  /** The SDK reads nothing after `[DONE]`. */
  #unread(): void {
    this.#body = undefined;
    this.#drain = setTimeout(() => this.#controller?.abort(new Error('unread')), DRAIN_MS_MAX);
    this.#controller?.resume();
  }

  #release(): void {
    this.#body = undefined;
    clearTimeout(this.#drain);
    this.#signal?.removeEventListener('abort', this.#abort);
  }
}
