import type { IncomingMessage } from 'node:http';
import WebSocket, { type RawData } from 'ws';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { codeOfStatus, providerFailure, retryAfterMs } from '../provider-failure/provider-failure.ts';

/** A peer that does not answer our close frame within this time loses its socket. Unit: ms. */
const CLOSE_MS_MAX = 1_000;
/** Bound of a message; a larger one is refused with close code 1009. Unit: bytes. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface ProviderSocketDial {
  /** Name in each `ProviderError`. */
  readonly provider: string;
  /** http(s) or ws(s), without a path: `https://api.deepgram.com`. */
  readonly baseUrl: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Contain the key. It never goes into the URL, which proxies log. */
  readonly headers: Readonly<Record<string, string>>;
  /** Dial → open. */
  readonly openMsMax: number;
}

export interface ProviderSocketEvents {
  onOpen(): void;
  onText(text: string): void;
  onBinary(bytes: Uint8Array): void;
  /** The peer answered a ping. */
  onPong(): void;
  /** The socket was lost, not closed by `close`. Called once; nothing follows. */
  onLost(error: ProviderError): void;
}

/** One WebSocket to a provider, over its SDK or directly. */
export interface ProviderConnection {
  readonly isOpen: boolean;
  /** Bytes that the network has not accepted yet. */
  readonly bufferedBytes: number;
  /** Sends nothing while the socket is not open. Returns the number of characters of the message. */
  sendJson(message: Readonly<Record<string, unknown>>): number;
  sendBinary(bytes: Uint8Array): void;
  ping(): void;
  /** Sends `farewell`, closes, and frees the socket within a second, whatever the peer does. Idempotent. */
  close(farewell?: Readonly<Record<string, unknown>>): void;
  /** Frees the socket at once, without a close handshake. Idempotent. */
  abandon(): void;
}

/** A WebSocket without an SDK. Handlers never run inside a call, and none runs after `close`. */
export class ProviderSocket implements ProviderConnection {
  readonly #provider: string;
  readonly #socket: WebSocket;
  #events: ProviderSocketEvents | undefined;

  constructor(dial: ProviderSocketDial, events: ProviderSocketEvents) {
    this.#provider = dial.provider;
    this.#events = events;
    const url = `${dial.baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}${dial.path}?${dial.query}`;
    this.#socket = new WebSocket(url, {
      headers: { ...dial.headers },
      handshakeTimeout: dial.openMsMax,
      maxPayload: MESSAGE_BYTES_MAX,
      // Speech does not compress well, and inflating takes time of the event loop.
      perMessageDeflate: false,
    });
    this.#socket.on('open', () => this.#events?.onOpen());
    this.#socket.on('pong', () => this.#events?.onPong());
    this.#socket.on('message', (data, isBinary) => this.#received(data, isBinary));
    this.#socket.on('unexpected-response', (_request, response) => this.#refused(response));
    // The listener stays for the socket's life: `ws` reports an aborted handshake here, even after `close`.
    this.#socket.on('error', (error) => this.#lost(failureOfError(this.#provider, error)));
    this.#socket.on('close', (code) => this.#lost(failureOfClose(this.#provider, code)));
  }

  get isOpen(): boolean {
    return this.#events !== undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  sendJson(message: Readonly<Record<string, unknown>>): number {
    const text = JSON.stringify(message);
    this.sendText(text);
    return text.length;
  }

  sendText(text: string): void {
    if (this.isOpen) this.#socket.send(text);
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.isOpen) this.#socket.send(bytes);
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  close(closeMessage?: Readonly<Record<string, unknown>>): void {
    if (this.#events === undefined) return;
    if (closeMessage !== undefined) this.sendJson(closeMessage);
    this.#events = undefined;
    const timeouts = setTimeout(() => this.#socket.terminate(), CLOSE_MS_MAX);
    this.#socket.once('close', () => clearTimeout(timeouts));
    this.#socket.close(1000);
  }

  abandon(): void {
    this.#events = undefined;
    this.#socket.terminate();
  }

  #received(data: RawData, isBinary: boolean): void {
    if (Array.isArray(data)) return; // Only `binaryType: 'fragments'` gives these.
    const bytes = data instanceof ArrayBuffer ? Buffer.from(data) : data;
    if (isBinary) this.#events?.onBinary(bytes);
    else this.#events?.onText(bytes.toString('utf8'));
  }

  #refused(response: IncomingMessage): void {
    const status = response.statusCode ?? 500;
    const { headers } = response;
    const exact = headers['retry-after-ms'];
    const wait = retryAfterMs(Array.isArray(exact) ? exact[0] : exact, headers['retry-after'], Date.now());
    response.destroy();
    this.#lost(
      providerFailure(this.#provider, codeOfStatus(status), `the connection was refused with HTTP status ${status}`, {
        httpStatus: status,
        retryAfterMs: wait,
      }),
    );
  }

  #lost(error: ProviderError): void {
    const events = this.#events;
    this.abandon();
    events?.onLost(error);
  }
}

function failureOfError(provider: string, error: Error): ProviderError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('WS_ERR')) return providerFailure(provider, 'malformed', `not a WebSocket frame (${code})`);
  if (error.message.includes('handshake has timed out')) {
    return providerFailure(provider, 'timeout', 'the connection was not open in time');
  }
  return providerFailure(provider, 'unavailable', `no connection (${code || 'handshake failed'})`);
}

/** RFC 6455, section 7.4.1: with 1003, 1007 and 1008 the peer refuses our data; any other code is a premature end. */
function failureOfClose(provider: string, code: number): ProviderError {
  if (code === 1008 || code === 1003 || code === 1007) {
    return providerFailure(provider, 'bad_request', `the provider refused what was sent (close code ${code})`);
  }
  return providerFailure(provider, 'closed', `the provider closed the stream (close code ${code})`);
}
