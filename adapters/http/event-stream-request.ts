import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ConnectionPool } from './connection-pool.ts';
import { EventStreamReader, type ServerSentEvent } from './event-stream-reader.ts';

/** Bytes read of a refusal's body: enough for its code. */
const REFUSAL_BYTES_MAX = 16 * 1024;

export interface PostRequest {
  /** Appended to the base URL: `/chat/completions`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No method is called from inside `open` or `abort`. None is called after `onEnd`, `onFailure` or `abort`. */
export interface EventStreamListener {
  onEvent(event: ServerSentEvent): void;
  /** The response ended as HTTP defines it. */
  onEnd(): void;
  onFailure(failure: EventStreamFailure): void;
}

export type EventStreamFailure =
  /** A status other than 2xx. */
  | {
      readonly type: 'refused';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly retryAfterMs: string | undefined;
      /** Its first 16 KiB; it may quote a key. */
      readonly body: string;
    }
  /** No connection, or it was lost before the response began. */
  | { readonly type: 'unreachable' }
  /** The connection was lost during the response, or the response exceeded its bound. */
  | { readonly type: 'closed' }
  /** A response of another type without any event, such as a web page. */
  | { readonly type: 'no_events' }
  /** An event without an end. */
  | { readonly type: 'endless_event' }
  /** The request is invalid. */
  | { readonly type: 'unsendable' };

/** One POST whose response is an event stream. */
export class EventStreamRequest implements Dispatcher.DispatchHandler {
  readonly #listener: EventStreamListener;
  readonly #events: EventStreamReader;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #isAnswered = false;
  /** The response is an event stream, by its header or its content. */
  #isEvents = false;
  #refusal: Omit<Extract<EventStreamFailure, { type: 'refused' }>, 'body'> | undefined;
  #refusalBody: Buffer[] = [];
  #refusalBytes = 0;

  private constructor(listener: EventStreamListener) {
    this.#listener = listener;
    this.#events = new EventStreamReader((event) => {
      this.#isEvents = true;
      if (!this.#isOver) listener.onEvent(event);
    });
  }

  static open(pool: ConnectionPool, request: PostRequest, listener: EventStreamListener): EventStreamRequest {
    const exchange = new EventStreamRequest(listener);
    try {
      pool.post(request.path, request.headers, request.body, exchange);
    } catch {
      setImmediate(() => exchange.#fail({ type: 'unsendable' }));
    }
    return exchange;
  }

  /** Closes the connection, which cancels the server's work. Idempotent. */
  abort(): void {
    this.#isOver = true;
    this.#controller?.abort(new Error('cancelled'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was aborted while it waited for a connection.
    if (this.#isOver) controller.abort(new Error('cancelled'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // undici reports 1xx too.
    if (status < 200) return;
    this.#isAnswered = true;
    this.#isEvents = one(headers['content-type'])?.includes('event-stream') ?? true;
    if (status < 300) return;
    this.#refusal = {
      type: 'refused',
      status,
      retryAfter: one(headers['retry-after']),
      retryAfterMs: one(headers['retry-after-ms']),
    };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#refusal !== undefined) {
      this.#refusalBytes += chunk.length;
      this.#refusalBody.push(Buffer.from(chunk));
      if (this.#refusalBytes >= REFUSAL_BYTES_MAX) this.#refuse(this.#refusal);
    } else if (!this.#events.push(chunk)) {
      this.#fail({ type: 'endless_event' });
    }
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    if (this.#refusal !== undefined) {
      this.#refuse(this.#refusal);
      return;
    }
    if (!this.#isEvents) {
      this.#fail({ type: 'no_events' }, false);
      return;
    }
    this.#isOver = true;
    this.#listener.onEnd();
  }

  /** undici may call this inside `open`, for an invalid request. */
  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    if (this.#refusal !== undefined) this.#refuse(this.#refusal);
    else if (this.#isAnswered) this.#fail({ type: 'closed' });
    else {
      const type = 'code' in error && error.code === 'UND_ERR_INVALID_ARG' ? 'unsendable' : 'unreachable';
      setImmediate(() => this.#fail({ type }));
    }
  }

  #refuse(refusal: Omit<Extract<EventStreamFailure, { type: 'refused' }>, 'body'>): void {
    const body = Buffer.concat(this.#refusalBody).toString('utf8', 0, REFUSAL_BYTES_MAX);
    this.#fail({ ...refusal, body }, this.#refusalBytes >= REFUSAL_BYTES_MAX);
  }

  /** A refusal that was read completely keeps its connection for the next request. */
  #fail(failure: EventStreamFailure, isCut = failure.type !== 'refused'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (isCut) this.#controller?.abort(new Error('failed'));
    this.#listener.onFailure(failure);
  }
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
