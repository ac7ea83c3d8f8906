import type { Socket } from 'node:net';
import type { Clock } from '../../base/time/clock.ts';
import { StreamFramer } from '../message/stream-framer.ts';
import type { Origin } from './transport-address.ts';
import { transportFault } from './transport-fault.ts';

/**
 * A connection is closed after this silence before its first message. A peer's connection is also closed if it has not
 * sent a whole message by then, since it uses a slot.
 */
const FIRST_MESSAGE_TIMEOUT_MS = 30_000;

/** Longer than the keep-alives of peers (RFC 5626 §4.4.1 recommends 95–120 s) and the pauses of a call's signalling. */
const IDLE_TIMEOUT_MS = 3_600_000;

/** Unread bytes of a peer that hangs. Beyond: the connection is closed. */
const UNSENT_BYTES_MAX = 1_048_576;

/**
 * The keep-alive interval of our connections (RFC 5626 §4.4.1: 95–120 s): NATs and firewalls forget an idle connection
 * after two minutes or more, and the peer's messages are then lost.
 */
const KEEP_ALIVE_MS = 100_000;

const CRLF = new Uint8Array([0x0d, 0x0a]);
const PING = new Uint8Array([0x0d, 0x0a, 0x0d, 0x0a]);

export interface TcpConnectionOptions {
  readonly socket: Socket;
  readonly origin: Origin;
  readonly clock: Pick<Clock, 'after'>;
  /** We opened it, so we keep it alive. */
  readonly isOurs: boolean;
  /** False: the source filter rejects the sender, and the connection is closed. */
  readonly onMessage: (bytes: Uint8Array, origin: Origin) => boolean;
  /** The stream could not be split into messages. */
  readonly onFault: (fault: string) => void;
  readonly onClosed: () => void;
}

/** One stream of SIP messages, whichever side opened it (RFC 3261 §18.3). */
export class TcpConnection {
  readonly #socket: Socket;
  readonly #framer = new StreamFramer();
  readonly #options: TcpConnectionOptions;
  #cancelKeepAlive = () => {};
  #cancelFirstMessageTimer = () => {};
  /** Says more than the error of a write that waited for the connection. */
  #fault: Error | null = null;

  constructor(options: TcpConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(FIRST_MESSAGE_TIMEOUT_MS, () => this.#socket.destroy());
    // `close` follows every error.
    this.#socket.on('error', (error) => {
      this.#fault = error;
    });
    this.#socket.on('close', () => {
      this.#cancelKeepAlive();
      this.#cancelFirstMessageTimer();
      options.onClosed();
    });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    if (options.isOurs) this.#keepAlive();
    else this.#cancelFirstMessageTimer = options.clock.after(FIRST_MESSAGE_TIMEOUT_MS, () => this.#socket.destroy());
  }

  /** Peers need not answer. A lost connection is detected by its error. */
  #keepAlive(): void {
    this.#cancelKeepAlive = this.#options.clock.after(KEEP_ALIVE_MS, () => {
      this.send(PING, () => undefined);
      this.#keepAlive();
    });
  }

  /** `onFailed` is called later, never before this returns. */
  send(bytes: Uint8Array, onFailed: (fault: string) => void): void {
    if (this.#socket.writableLength > UNSENT_BYTES_MAX) this.#socket.destroy();
    this.#socket.write(bytes, (error) => {
      if (error !== null && error !== undefined) onFailed(transportFault(this.#fault ?? error));
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    let hasPonged = false;
    for (const event of this.#framer.push(chunk)) {
      if (this.#socket.destroyed) return;
      switch (event.type) {
        case 'message':
          this.#cancelFirstMessageTimer();
          this.#socket.setTimeout(IDLE_TIMEOUT_MS);
          if (!this.#options.onMessage(event.bytes, this.#options.origin)) this.#socket.destroy();
          break;
        case 'ping':
          // Several pings in one packet get one answer.
          if (!hasPonged) this.send(CRLF, () => undefined);
          hasPonged = true;
          break;
        case 'fault':
          this.#options.onFault(event.fault);
          this.#socket.destroy();
          break;
      }
    }
  }
}
