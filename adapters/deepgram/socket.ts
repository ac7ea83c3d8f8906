import type { IncomingMessage } from 'node:http';
import WebSocket, { type RawData } from 'ws';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { codeOfStatus, providerFailure, retryAfterMs } from '../provider-failure.ts';

// The socket is our own over `ws`, not the one of @deepgram/sdk 5.13, because with the SDK
// - a refused upgrade is told as a sentence: the HTTP status and `Retry-After`, which the call's rules need, are lost;
// - a socket is only ever let go by the closing handshake, also on abort: a peer that answers none keeps it for 30 s;
// - how much waits to be sent is not to be known behind its wrapper, so that a full network is not seen.
// The SDK serves the tests, as the client that proves the emulators.

/** A peer that does not answer our close frame for this long loses its socket. */
const CLOSE_MS_MAX = 1_000;
/** No message of the protocol comes near; a larger one is refused with close code 1009. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

export interface DeepgramAccess {
  /** http(s) or ws(s), without the path: `https://api.deepgram.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface DeepgramSocketEvents {
  onOpen(): void;
  onText(text: string): void;
  onBinary(bytes: Uint8Array): void;
  /** Peer answered a ping: it lives. */
  onPong(): void;
  /** The socket is gone and it was not `close` that ended it. Told once; nothing follows. */
  onLost(error: ProviderError): void;
}

/** One WebSocket to Deepgram. Handlers never run inside a call, and none runs after `close`. */
export class DeepgramSocket {
  readonly #socket: WebSocket;
  #events: DeepgramSocketEvents | undefined;

  constructor(
    access: DeepgramAccess,
    path: string,
    query: URLSearchParams,
    dialMsMax: number,
    events: DeepgramSocketEvents,
  ) {
    this.#events = events;
    const url = `${access.baseUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}${path}?${query}`;
    this.#socket = new WebSocket(url, {
      headers: { Authorization: `Token ${access.apiKey}` },
      handshakeTimeout: dialMsMax,
      maxPayload: MESSAGE_BYTES_MAX,
      // Speech does not compress, and inflating costs the event loop.
      perMessageDeflate: false,
    });
    this.#socket.on('open', () => this.#events?.onOpen());
    this.#socket.on('pong', () => this.#events?.onPong());
    this.#socket.on('message', (data, isBinary) => this.#received(data, isBinary));
    this.#socket.on('unexpected-response', (_request, response) => this.#refused(response));
    // The listener stays for the socket's whole life: `ws` reports an aborted handshake here, also after `close`.
    this.#socket.on('error', (error) => this.#lost(failureOfError(error)));
    this.#socket.on('close', (code) => this.#lost(failureOfClose(code)));
  }

  get isOpen(): boolean {
    return this.#events !== undefined && this.#socket.readyState === WebSocket.OPEN;
  }

  /** Bytes handed over that the network has not taken yet. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Nothing is sent where the socket is not open. */
  sendJson(message: Readonly<Record<string, unknown>>): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(message));
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.isOpen) this.#socket.send(bytes);
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  /** Says `farewell`, closes, and frees the socket within a second whatever the peer does. Idempotent. */
  close(farewell: Readonly<Record<string, unknown>>): void {
    if (this.#events === undefined) return;
    this.sendJson(farewell);
    this.#events = undefined;
    const impatience = setTimeout(() => this.#socket.terminate(), CLOSE_MS_MAX);
    this.#socket.once('close', () => clearTimeout(impatience));
    this.#socket.close(1000);
  }

  /** Frees the socket at once: the peer is not to be reasoned with. Idempotent. */
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
    const wait = retryAfterMs(undefined, response.headers['retry-after'], Date.now());
    response.destroy();
    this.#lost(
      providerFailure('deepgram', codeOfStatus(status), `the connection was refused with HTTP status ${status}`, {
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

function failureOfError(error: Error): ProviderError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('WS_ERR')) return providerFailure('deepgram', 'malformed', `not a WebSocket frame (${code})`);
  if (error.message.includes('handshake has timed out')) {
    return providerFailure('deepgram', 'timeout', 'the connection was not open in time');
  }
  return providerFailure('deepgram', 'unavailable', `no connection (${code || 'handshake failed'})`);
}

/** Close codes as Deepgram uses them: 1008 for what it cannot read (DATA-0000), 1011 for its own and idle ends (NET-*). */
function failureOfClose(code: number): ProviderError {
  if (code === 1008 || code === 1003 || code === 1007) {
    return providerFailure('deepgram', 'bad_request', `the provider refused what was sent (close code ${code})`);
  }
  return providerFailure('deepgram', 'closed', `the provider closed the stream (close code ${code})`);
}
