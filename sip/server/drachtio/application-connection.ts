import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ApplicationCommand, CommandResult, SipApplication } from '../../dialog/sip-application.ts';
import type { SipMessage } from '../../message/sip-message.ts';
import type { Hop, Origin } from '../../transport/transport-address.ts';
import { type Command, parseCommand } from './command.ts';
import {
  authenticatedReply,
  doneReply,
  networkMessage,
  refusedReply,
  sentReply,
  unsolicitedBye,
} from './drachtio-reply.ts';
import { encodeFrame, FrameDecoder } from './frame.ts';

/** A frame holds one line and a SIP message (64 KiB at most). Longer: the connection is closed. */
const FRAME_BYTES_MAX = 131_072;

/** The bound of a frame before authentication. */
const FRAME_BYTES_BEFORE_AUTHENTICATION_MAX = 1_024;

/** A connection that has not authenticated by then is closed. */
const AUTHENTICATION_TIMEOUT_MS = 10_000;

/** Unread bytes of an application that hangs. Beyond: its connection is closed, and its calls are ended. */
const UNSENT_BYTES_MAX = 33_554_432;

/** Commands of one connection that wait for a DNS look-up or an ACK. Beyond: refused. */
const WAITING_COMMANDS_MAX = 10_000;

export interface ApplicationConnectionOptions {
  readonly socket: Socket;
  readonly secret: string;
  /** The server's addresses in the reply to `authenticate`: `udp/127.0.0.1:5060`. */
  readonly addresses: readonly string[];
  readonly newId: () => string;
  /** The time of day, for the application. */
  readonly time: () => string;
  readonly onAuthenticated: (application: SipApplication) => void;
  readonly onCommand: (application: SipApplication, command: ApplicationCommand) => Promise<CommandResult>;
  readonly onClosed: (application: SipApplication) => void;
}

/** The connection of one `drachtio-srf`. Its input can affect only its own calls. */
export class ApplicationConnection implements SipApplication {
  readonly #options: ApplicationConnectionOptions;
  readonly #socket: Socket;
  readonly #decoder = new FrameDecoder();
  readonly #routes = new Set<string>();
  #isAuthenticated = false;
  #waitingCommands = 0;

  constructor(options: ApplicationConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(AUTHENTICATION_TIMEOUT_MS, () => this.#socket.destroy());
    // `close` follows every error.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => options.onClosed(this));
    this.#socket.on('data', (chunk) => this.#read(chunk));
  }

  takes(method: string): boolean {
    return this.#routes.has(method);
  }

  request(message: SipMessage, origin: Origin, transactionId: string, dialogId: string): void {
    this.#writeNetworkMessage(message, origin, transactionId, dialogId);
  }

  response(message: SipMessage, origin: Origin, transactionId: string, dialogId: string): void {
    this.#writeNetworkMessage(message, origin, transactionId, dialogId);
  }

  ended(bye: SipMessage & { kind: 'request' }, hop: Hop, dialogId: string): void {
    this.#write(unsolicitedBye(this.#options.newId(), bye, hop, dialogId, this.#options.time()));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #writeNetworkMessage(message: SipMessage, origin: Origin, transactionId: string, dialogId: string): void {
    const context = { transactionId, dialogId, time: this.#options.time() };
    this.#write(networkMessage(this.#options.newId(), message, origin, context));
  }

  #read(chunk: Uint8Array): void {
    const bytesMax = this.#isAuthenticated ? FRAME_BYTES_MAX : FRAME_BYTES_BEFORE_AUTHENTICATION_MAX;
    for (const event of this.#decoder.push(chunk, bytesMax)) {
      if (this.#socket.destroyed) return;
      const command = event.type === 'frame' ? parseCommand(event.payload) : null;
      if (command === null) this.#socket.destroy();
      else this.#execute(command);
    }
  }

  #execute(command: Command): void {
    const { id } = command;
    const frameId = this.#options.newId();
    if (command.type === 'authenticate') this.#authenticate(command);
    else if (!this.#isAuthenticated) this.#socket.end(encodeFrame(refusedReply(frameId, id, 'not authenticated')));
    else if (command.type === 'refused') this.#write(refusedReply(frameId, id, command.reason));
    else if (command.type === 'sip') void this.#runSipCommand(command);
    else {
      if (command.type === 'route') this.#routes.add(command.method);
      if (command.type === 'remove_route') this.#routes.delete(command.method);
      this.#write(doneReply(frameId, id));
    }
  }

  #authenticate({ id, secret }: Extract<Command, { type: 'authenticate' }>): void {
    const { newId, addresses, onAuthenticated } = this.#options;
    if (!isSameSecret(secret, this.#options.secret)) {
      this.#socket.end(encodeFrame(refusedReply(newId(), id, 'unauthorized')));
      return;
    }
    const isFirst = !this.#isAuthenticated;
    this.#isAuthenticated = true;
    this.#socket.setTimeout(0);
    this.#write(authenticatedReply(newId(), id, addresses));
    if (isFirst) onAuthenticated(this);
  }

  async #runSipCommand(command: Extract<Command, { type: 'sip' }>): Promise<void> {
    const { newId, onCommand, time } = this.#options;
    if (this.#waitingCommands >= WAITING_COMMANDS_MAX) {
      this.#write(refusedReply(newId(), command.id, 'too many commands wait'));
      return;
    }
    this.#waitingCommands += 1;
    const result = await onCommand(this, command);
    this.#waitingCommands -= 1;
    if (!result.ok) {
      this.#write(refusedReply(newId(), command.id, result.reason));
      return;
    }
    const { message, hop, transactionId, dialogId } = result;
    this.#write(sentReply(newId(), command.id, message, hop, { transactionId, dialogId, time: time() }));
  }

  #write(payload: string): void {
    if (this.#socket.destroyed || !this.#socket.writable) return;
    if (this.#socket.writableLength > UNSENT_BYTES_MAX) this.#socket.destroy();
    else this.#socket.write(encodeFrame(payload));
  }
}

/** Compares in constant time. */
function isSameSecret(received: string, expected: string): boolean {
  const a = Buffer.from(received, 'utf8');
  const b = Buffer.from(expected, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}
