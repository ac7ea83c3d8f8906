import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../base/time/clock.ts';
import { type ClientMessage, readClientMessage, type WebMessage } from './web-message.ts';

/** Of one frame of audio: 100 ms. Twenty are what is asked for; browsers that make other pieces are taken all the same. */
export const MAX_AUDIO_BYTES = 3_200;
/** Of one text: a message of ours to come has room, and nothing else has. */
const MAX_TEXT_BYTES = 1_024;
/** Nothing larger is read at all (RFC 6455 close code 1009). */
export const MAX_PAYLOAD_BYTES = 4_096;
/**
 * Frames of 20 ms that may be on their way, a second: more have piled up somewhere between here and a slow browser, where
 * they could not be taken back. Beyond it nothing is sent, and the agent waits.
 */
const WINDOW_FRAMES = 50;
/** Each ping counts the frames before it: its pong says that they arrived. */
const FRAMES_A_PING = 10;
/** So long without room, and the agent is told that nobody hears it; the engine's own watch over its playout is longer. */
const STALLED_US = 600_000;
/** Neither a message nor a pong for so long: the connection is gone, though nothing has said so. */
const SILENT_US = 5_000_000;
const LOOK_MS = 200;
/** Messages and pings a second: twice what a call in frames of 20 ms takes. */
const MESSAGES_A_SECOND = 100;
/** What a browser has saved up over a stall of some seconds comes at once. */
const MESSAGES_AT_ONCE = 400;
/** Text that waits to be sent: a connection that takes none of it is given up. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** A peer that does not answer our close is not waited for longer. */
const CLOSE_WAIT_MS = 2_000;

/** Why a connection is over: told once, nothing follows. */
export type SocketEnd =
  /** Closed by the peer as it should be. */
  | { readonly type: 'closed' }
  /** It broke, or nothing comes any more: the caller may come back. */
  | { readonly type: 'lost' }
  /** It broke the protocol. */
  | { readonly type: 'fault'; readonly reason: string };

export interface MediaSocketListener {
  audio(frame: Uint8Array): void;
  onMessage(message: ClientMessage): void;
  /** There is room for frames again. */
  room(): void;
  /** Whether what is sent arrives; true at first. */
  flows(does: boolean): void;
  ended(end: SocketEnd): void;
}

/** One WebSocket of a web call: frames and messages, and how much of what was sent has arrived. */
export class MediaSocket {
  readonly #socket: WebSocket;
  readonly #clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly #listener: MediaSocketListener;
  #sentFrames = 0;
  #arrivedFrames = 0;
  /** Since when there is no room; null while there is. */
  #fullSinceUs: number | null = null;
  #stalled = false;
  #lastHeardUs: number;
  #budget = MESSAGES_AT_ONCE;
  #budgetUs: number;
  #isOver = false;
  #stopLooking: () => void = () => undefined;

  constructor(socket: WebSocket, clock: Pick<Clock, 'nowUs' | 'after'>, listener: MediaSocketListener) {
    this.#socket = socket;
    this.#clock = clock;
    this.#listener = listener;
    this.#lastHeardUs = clock.nowUs();
    this.#budgetUs = this.#lastHeardUs;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', () => this.#spend());
    socket.on('pong', (data) => this.#arrived(data));
    socket.on('error', (error) => this.#fault(error.message));
    socket.on('close', (code) => this.#end({ type: code === ABNORMAL_CLOSURE ? 'lost' : 'closed' }));
    this.#lookLater();
  }

  /** Whether a frame may be sent now. */
  get hasRoom(): boolean {
    return !this.#isOver && this.#sentFrames - this.#arrivedFrames < WINDOW_FRAMES;
  }

  sendFrame(audio: Uint8Array): void {
    this.#socket.send(audio, NO_CARE);
    this.#sentFrames++;
    if (this.#sentFrames % FRAMES_A_PING === 0) this.#socket.ping(String(this.#sentFrames), false, NO_CARE);
    if (!this.hasRoom) this.#fullSinceUs ??= this.#clock.nowUs();
  }

  send(message: WebMessage): void {
    if (this.#isOver) return;
    if (this.#socket.bufferedAmount > MAX_BUFFERED_BYTES) this.#end({ type: 'lost' });
    else this.#socket.send(JSON.stringify(message), NO_CARE);
  }

  /** Closes once what was sent is out. Nothing is told of it. */
  close(): void {
    this.#over();
    this.#closeWith(1000);
  }

  /** Another connection has taken its place. Nothing is told of it. */
  drop(): void {
    this.#over();
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // `ws` gives one Buffer a message unless it is told otherwise.
    if (!this.#spend() || !Buffer.isBuffer(data)) return;
    if (!isBinary) this.#read(data);
    else if (data.length > MAX_AUDIO_BYTES || data.length % 2 !== 0) {
      this.#fault('audio must come as whole 16-bit samples, 100 ms at most');
    } else if (data.length > 0) this.#listener.audio(data);
  }

  #read(text: Buffer): void {
    const message = text.length > MAX_TEXT_BYTES ? null : readClientMessage(text.toString());
    if (message === null) this.#fault('a message that is none');
    else this.#listener.onMessage(message);
  }

  /** False once more has come than a call can need. */
  #spend(): boolean {
    if (this.#isOver) return false;
    const nowUs = this.#clock.nowUs();
    this.#lastHeardUs = nowUs;
    const earned = ((nowUs - this.#budgetUs) / 1_000_000) * MESSAGES_A_SECOND;
    this.#budget = Math.min(MESSAGES_AT_ONCE, this.#budget + earned) - 1;
    this.#budgetUs = nowUs;
    if (this.#budget < 0) this.#fault('too many messages');
    return !this.#isOver;
  }

  #arrived(data: Buffer): void {
    if (!this.#spend()) return;
    const frames = Number(data.toString('latin1'));
    if (!(frames > this.#arrivedFrames && frames <= this.#sentFrames)) return;
    this.#arrivedFrames = frames;
    this.#fullSinceUs = null;
    if (this.#stalled) {
      this.#stalled = false;
      this.#listener.flows(true);
    }
    this.#listener.room();
  }

  #lookLater(): void {
    this.#stopLooking = this.#clock.after(LOOK_MS, () => {
      this.#look();
      if (!this.#isOver) this.#lookLater();
    });
  }

  #look(): void {
    const nowUs = this.#clock.nowUs();
    if (nowUs - this.#lastHeardUs > SILENT_US) {
      this.#end({ type: 'lost' });
    } else if (!this.#stalled && this.#fullSinceUs !== null && nowUs - this.#fullSinceUs > STALLED_US) {
      this.#stalled = true;
      this.#listener.flows(false);
    }
  }

  #fault(reason: string): void {
    this.#end({ type: 'fault', reason });
  }

  #end(end: SocketEnd): void {
    if (this.#isOver) return;
    this.#over();
    if (end.type === 'lost') this.#socket.terminate();
    // RFC 6455 §7.4.1: 1008 where a message breaks the rules of the application. A closed socket takes no other code.
    else this.#closeWith(end.type === 'fault' ? 1008 : 1000);
    this.#listener.ended(end);
  }

  #over(): void {
    this.#isOver = true;
    this.#stopLooking();
  }

  #closeWith(code: 1000 | 1008): void {
    this.#socket.close(code);
    const stop = this.#clock.after(CLOSE_WAIT_MS, () => this.#socket.terminate());
    this.#socket.once('close', stop);
  }
}

/** The connection ended without a close frame (RFC 6455 §7.1.5). */
const ABNORMAL_CLOSURE = 1006;
/** What cannot be sent is lost with its connection, which tells of itself. */
const NO_CARE = (): void => undefined;
