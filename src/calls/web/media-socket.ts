import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../base/time/clock.ts';
import { type ClientMessage, readClientMessage, type WebMessage } from './web-message.ts';

/** Bytes of one audio frame, 100 ms. The API asks for 20 ms, but accepts other sizes. */
export const AUDIO_BYTES_MAX = 3_200;
/** Bytes of one text frame: enough for every known message. */
const TEXT_BYTES_MAX = 1_024;
/** Bytes of any frame. A larger one closes the connection (RFC 6455 close code 1009). */
export const PAYLOAD_BYTES_MAX = 4_096;
/**
 * Maximum number of unacknowledged 20 ms frames: one second. Further frames would wait in socket buffers, which cannot be
 * cleared. At the limit nothing is sent and the agent waits.
 */
const WINDOW_FRAMES = 50;
/** A ping follows every n frames. Its pong acknowledges the frames before it. */
const FRAMES_PER_PING = 10;
/** Time without room after which the call goes on hold. Shorter than the playout watchdog of the engine. */
const STALLED_US = 600_000;
/** Time without any message or pong after which the connection counts as lost. */
const SILENT_US = 5_000_000;
/** Interval of the checks for a stall and for silence. */
const CHECK_INTERVAL_MS = 200;
/** Messages and pings per second: twice the rate of a call with 20 ms frames. */
const MESSAGES_PER_SECOND = 100;
/** Burst size: a browser sends its backlog at once after a stall of some seconds. */
const MESSAGES_BURST_MAX = 400;
/** Unsent bytes above which the connection counts as lost. */
const BUFFERED_BYTES_MAX = 1_048_576;
/** Time that the peer has to complete the closing handshake. */
const CLOSE_WAIT_MS = 2_000;
/** Of a reason (RFC 6455 §5.5). Ours are ASCII. Unit: bytes. */
const CLOSE_REASON_MAX = 123;

/** Why a connection ended. Emitted once, as the last event. */
export type SocketEnd =
  /** The peer closed the connection. */
  | { readonly type: 'closed' }
  /** The connection broke or is silent: the user may reconnect. */
  | { readonly type: 'lost' }
  /** The peer violated the protocol. */
  | { readonly type: 'fault'; readonly reason: string };

export interface MediaSocketListener {
  onAudio(frame: Uint8Array): void;
  onMessage(message: ClientMessage): void;
  /** Frames can be sent again. */
  onRoom(): void;
  /** Whether frames arrive at the peer. Initially true. */
  onFlow(isFlowing: boolean): void;
  onEnded(end: SocketEnd): void;
}

/** One WebSocket of a web call: frames, messages and acknowledged playback. */
export class MediaSocket {
  readonly #socket: WebSocket;
  readonly #clock: Pick<Clock, 'nowUs' | 'after'>;
  readonly #listener: MediaSocketListener;
  #sentFrames = 0;
  #acknowledgedFrames = 0;
  /** Since when no frames can be sent. null: frames can be sent. */
  #fullSinceUs: number | null = null;
  #stalled = false;
  #lastHeardUs: number;
  #budget = MESSAGES_BURST_MAX;
  #budgetUs: number;
  #hasEnded = false;
  #stopChecks: () => void = () => undefined;

  constructor(socket: WebSocket, clock: Pick<Clock, 'nowUs' | 'after'>, listener: MediaSocketListener) {
    this.#socket = socket;
    this.#clock = clock;
    this.#listener = listener;
    this.#lastHeardUs = clock.nowUs();
    this.#budgetUs = this.#lastHeardUs;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', () => this.#spend());
    socket.on('pong', (data) => this.#acknowledge(data));
    socket.on('error', (error) => this.#fault(error.message));
    socket.on('close', (code) => this.#end({ type: code === ABNORMAL_CLOSURE ? 'lost' : 'closed' }));
    this.#checkLater();
  }

  /** Whether a frame can be sent. */
  get hasRoom(): boolean {
    return !this.#hasEnded && this.#sentFrames - this.#acknowledgedFrames < WINDOW_FRAMES;
  }

  sendFrame(audio: Uint8Array): void {
    this.#socket.send(audio, IGNORE_ERROR);
    this.#sentFrames++;
    if (this.#sentFrames % FRAMES_PER_PING === 0) this.#socket.ping(String(this.#sentFrames), false, IGNORE_ERROR);
    if (!this.hasRoom) this.#fullSinceUs ??= this.#clock.nowUs();
  }

  send(message: WebMessage): void {
    if (this.#hasEnded) return;
    if (this.#socket.bufferedAmount > BUFFERED_BYTES_MAX) this.#end({ type: 'lost' });
    else this.#socket.send(JSON.stringify(message), IGNORE_ERROR);
  }

  /** Closes after all data was sent. Emits no event. */
  close(): void {
    this.#stop();
    this.#closeWith(1000);
  }

  /** Drops a connection that another one replaced. Emits no event. */
  drop(): void {
    this.#stop();
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // By default `ws` passes one Buffer per message.
    if (!this.#spend() || !Buffer.isBuffer(data)) return;
    if (!isBinary) this.#read(data);
    else if (data.length > AUDIO_BYTES_MAX || data.length % 2 !== 0) {
      this.#fault('audio must come as whole 16-bit samples, 100 ms at most');
    } else if (data.length > 0) this.#listener.onAudio(data);
  }

  #read(text: Buffer): void {
    const message = text.length > TEXT_BYTES_MAX ? null : readClientMessage(text.toString());
    if (message === null) this.#fault('unknown message');
    else this.#listener.onMessage(message);
  }

  /** false: more messages arrived than a call needs. */
  #spend(): boolean {
    if (this.#hasEnded) return false;
    const nowUs = this.#clock.nowUs();
    this.#lastHeardUs = nowUs;
    const earned = ((nowUs - this.#budgetUs) / 1_000_000) * MESSAGES_PER_SECOND;
    this.#budget = Math.min(MESSAGES_BURST_MAX, this.#budget + earned) - 1;
    this.#budgetUs = nowUs;
    if (this.#budget < 0) this.#fault('too many messages');
    return !this.#hasEnded;
  }

  #acknowledge(data: Buffer): void {
    if (!this.#spend()) return;
    const frames = Number(data.toString('latin1'));
    if (!(frames > this.#acknowledgedFrames && frames <= this.#sentFrames)) return;
    this.#acknowledgedFrames = frames;
    this.#fullSinceUs = null;
    if (this.#stalled) {
      this.#stalled = false;
      this.#listener.onFlow(true);
    }
    this.#listener.onRoom();
  }

  #checkLater(): void {
    this.#stopChecks = this.#clock.after(CHECK_INTERVAL_MS, () => {
      this.#check();
      if (!this.#hasEnded) this.#checkLater();
    });
  }

  #check(): void {
    const nowUs = this.#clock.nowUs();
    if (nowUs - this.#lastHeardUs > SILENT_US) {
      this.#end({ type: 'lost' });
    } else if (!this.#stalled && this.#fullSinceUs !== null && nowUs - this.#fullSinceUs > STALLED_US) {
      this.#stalled = true;
      this.#listener.onFlow(false);
    }
  }

  #fault(reason: string): void {
    this.#end({ type: 'fault', reason });
  }

  #end(end: SocketEnd): void {
    if (this.#hasEnded) return;
    this.#stop();
    if (end.type === 'lost') this.#socket.terminate();
    // RFC 6455 §7.4.1: 1008 for a message that violates the rules of the application.
    else if (end.type === 'fault') this.#closeWith(1008, end.reason);
    else this.#closeWith(1000);
    this.#listener.onEnded(end);
  }

  #stop(): void {
    this.#hasEnded = true;
    this.#stopChecks();
  }

  #closeWith(code: 1000 | 1008, reason = ''): void {
    this.#socket.close(code, reason.slice(0, CLOSE_REASON_MAX));
    const stop = this.#clock.after(CLOSE_WAIT_MS, () => this.#socket.terminate());
    this.#socket.once('close', stop);
  }
}

/** The connection ended without a close frame (RFC 6455 §7.1.5). */
const ABNORMAL_CLOSURE = 1006;
/** A failed send is followed by the close event of its connection. */
const IGNORE_ERROR = (): void => undefined;
