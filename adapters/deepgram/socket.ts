import type { DeepgramClient, DeepgramTransport } from '@deepgram/sdk';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { loadDeepgram } from '../official-sdk/sdks.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import {
  type ProviderConnection,
  ProviderSocket,
  type ProviderSocketEvents,
} from '../provider-socket/provider-socket.ts';

export interface DeepgramAccess {
  /** http(s) or ws(s), without the path: `https://api.deepgram.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** The common interface of the connections of the SDK's streaming APIs. */
interface SdkConnection {
  readonly socket: { send(data: string | Uint8Array): void };
  connect(): unknown;
  close(): void;
}

/** Creates a connection with one of the SDK's streaming APIs; it dials later. */
export type CreateConnection = (client: DeepgramClient) => Promise<SdkConnection>;

/** Options of every connection. The socket has its own timeout, and the engine decides about another attempt. */
export const CONNECTION = { reconnectAttempts: 0, connectionTimeoutInSeconds: 3_600 } as const;

/**
 * One WebSocket to Deepgram through its SDK, which makes the URL and the headers. The bytes are carried by our own socket, as
 * the SDK's transport (docs/adr/0006-official-sdks.md). Close codes: 1008 for unreadable input (DATA-0000), 1011 for the
 * provider's own errors and idle timeouts (NET-*).
 */
export class DeepgramSocket implements ProviderConnection {
  readonly #events: ProviderSocketEvents;
  #connection: SdkConnection | undefined;
  /** Undefined until the SDK dials. */
  #socket: ProviderSocket | undefined;
  #isOver = false;

  constructor(access: DeepgramAccess, create: CreateConnection, openMsMax: number, events: ProviderSocketEvents) {
    this.#events = events;
    void this.#connect(access, create, openMsMax);
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#socket?.isOpen === true;
  }

  get bufferedBytes(): number {
    return this.#socket?.bufferedBytes ?? 0;
  }

  sendJson(message: Readonly<Record<string, unknown>>): number {
    const text = JSON.stringify(message);
    if (this.isOpen) this.#connection?.socket.send(text);
    return text.length;
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.isOpen) this.#connection?.socket.send(bytes);
  }

  ping(): void {
    this.#socket?.ping();
  }

  close(farewell?: Readonly<Record<string, unknown>>): void {
    if (this.#isOver) return;
    if (farewell !== undefined) this.sendJson(farewell);
    this.#isOver = true;
    this.#connection?.close();
  }

  abandon(): void {
    this.#isOver = true;
    this.#socket?.abandon();
    this.#connection?.close();
  }

  async #connect({ apiKey, baseUrl }: DeepgramAccess, create: CreateConnection, openMsMax: number): Promise<void> {
    try {
      const { DeepgramClient } = await loadDeepgram();
      const connection = await create(
        new DeepgramClient({
          apiKey,
          baseUrl,
          reconnect: false,
          transportFactory: (url, headers) => this.#dial(new URL(url), headers, openMsMax),
        }),
      );
      if (this.#isOver) return;
      this.#connection = connection;
      connection.connect();
    } catch {
      this.#lost(providerFailure('deepgram', 'bad_request', 'the SDK refused the options of the connection'));
    }
  }

  #dial(
    { origin, pathname, searchParams }: URL,
    headers: Record<string, string>,
    openMsMax: number,
  ): DeepgramTransport {
    let opened = (): void => undefined;
    const dial = { provider: 'deepgram', baseUrl: origin, path: pathname, query: searchParams, headers, openMsMax };
    const socket = new ProviderSocket(dial, {
      onOpen: () => {
        opened();
        this.#events.onOpen();
      },
      onText: (text) => this.#events.onText(text),
      onBinary: (bytes) => this.#events.onBinary(bytes),
      onPong: () => this.#events.onPong(),
      onLost: (error) => this.#lost(error),
    });
    this.#socket = socket;
    return {
      send: (data) => {
        if (typeof data === 'string') socket.sendText(data);
        else if (data instanceof Uint8Array) socket.sendBinary(data);
      },
      onOpen: (listener) => {
        opened = listener;
      },
      // The messages and the failure reach our events directly.
      onMessage: () => undefined,
      onError: () => undefined,
      onClose: () => undefined,
      isOpen: () => socket.isOpen,
      close: () => socket.close(),
    };
  }

  #lost(error: ProviderError): void {
    if (this.#isOver) return;
    this.abandon();
    this.#events.onLost(error);
  }
}
