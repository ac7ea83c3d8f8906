import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { WebCallMedia } from '../host/web-media-access.ts';
import { LegEvents } from '../legs/leg-events.ts';
import { MediaSocket, type SocketEnd } from './media-socket.ts';
import { type ClientMessage, messageOfEntry, messageOfMedia, type WebMessage } from './web-message.ts';
import { hashWebToken, isWebToken, mintWebToken } from './web-token.ts';

/** Time for reconnecting after a lost connection. */
const RESUME_SECONDS = 10;
/** Messages buffered while the user is disconnected. Above it the oldest is dropped. */
const KEPT_MESSAGES_MAX = 256;

export interface WebCallLegOptions {
  readonly callId: string;
  readonly media: WebCallMedia;
  readonly clock: Pick<Clock, 'nowUs' | 'after'>;
}

/**
 * The leg of a web call over one or more successive WebSockets. The call is on hold between two of them and while the browser accepts
 * no data.
 */
export class WebCallLeg implements CallControl {
  readonly #options: WebCallLegOptions;
  readonly #events = new LegEvents();
  #socket: MediaSocket | null = null;
  #kept: WebMessage[] = [];
  #resumeHash: string | null = null;
  #answered = false;
  #reportedHold = false;
  #isClosed = false;
  #stopGrace: () => void = () => undefined;

  constructor(options: WebCallLegOptions) {
    this.#options = options;
    options.media.channel.onAgentAudio(() => this.#pump());
    options.media.channel.onClear(() => this.#send({ type: 'clear' }));
  }

  /** Whether the token is valid for the next connection. */
  resumesBy(token: string): boolean {
    return !this.#isClosed && isWebToken(token, this.#resumeHash);
  }

  /** Attaches a new connection. An older connection is dropped. */
  attach(socket: WebSocket): void {
    const { callId, clock, media } = this.#options;
    this.#socket?.drop();
    this.#stopGrace();
    const resumeToken = mintWebToken();
    this.#resumeHash = hashWebToken(resumeToken);
    const connection = new MediaSocket(socket, clock, {
      onAudio: (frame) => media.channel.write(frame),
      onMessage: (message) => this.#handle(message),
      onRoom: () => this.#pump(),
      onFlow: (isFlowing) => this.#hold(!isFlowing),
      onEnded: (end) => this.#disconnected(end),
    });
    this.#socket = connection;
    connection.send({
      type: 'connected',
      call_id: callId,
      resume_token: resumeToken,
      resume_seconds: RESUME_SECONDS,
    });
    for (const message of this.#kept.splice(0)) connection.send(message);
    media.channel.connected = true;
    this.#hold(false);
    this.#pump();
  }

  /** Journal entries are also sent to the browser. */
  observe(entry: JournalEntry, startedWallMs: number): void {
    const message = messageOfEntry(entry, startedWallMs);
    if (message !== null) this.#send(message);
    if (entry.type === 'ended') this.close();
  }

  answer(): void {
    if (this.#answered || this.#events.ended) return;
    this.#answered = true;
    const { media } = this.#options;
    media.audio.onEvent((event) => {
      const message = messageOfMedia(event);
      // After the frames that it refers to.
      this.#pump();
      if (message !== null) this.#send(message);
    });
    media.start();
    this.#events.emit({ type: 'answered' });
    if (this.#socket === null) this.#hold(true);
  }

  hangUp(): void {
    this.#events.emit({ type: 'ended', cause: 'local_bye' });
  }

  transfer(): void {
    this.#events.emit({ type: 'transfer_failed', reason: 'a call from a web page cannot be transferred' });
  }

  onEvent(listener: (event: CallControlEvent) => void): void {
    this.#events.listen(listener);
  }

  /** Ends the leg. No reconnection follows. */
  close(): void {
    this.#isClosed = true;
    this.#stopGrace();
    this.#options.media.channel.connected = false;
    this.#socket?.close();
    this.#socket = null;
  }

  #pump(): void {
    const { channel } = this.#options.media;
    const socket = this.#socket;
    while (socket?.hasRoom === true) {
      const frame = channel.next();
      if (frame === null) return;
      socket.sendFrame(frame);
    }
  }

  #send(message: WebMessage): void {
    if (this.#socket !== null) {
      this.#socket.send(message);
      // Clears and marks refer to audio, which is not buffered while the user is disconnected.
    } else if (message.type !== 'clear' && message.type !== 'mark') {
      this.#kept.push(message);
      if (this.#kept.length > KEPT_MESSAGES_MAX) this.#kept.shift();
    }
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case 'dtmf':
        this.#options.media.report({ type: 'dtmf', digit: message.digit, durationMs: PRESSED_MS });
        return;
      case 'text':
        this.#options.media.report({ type: 'typed_text', text: message.text });
        return;
      case 'hangup':
        // The connection stays open until the `ended` message was sent.
        this.#events.emit({ type: 'ended', cause: 'remote_bye' });
    }
  }

  #disconnected(end: SocketEnd): void {
    const { clock, media } = this.#options;
    this.#socket = null;
    media.channel.connected = false;
    switch (end.type) {
      case 'closed':
        this.#events.emit({ type: 'ended', cause: 'remote_bye' });
        return;
      case 'fault':
        media.report({ type: 'failed', message: `protocol violation by the browser: ${end.reason}` });
        return;
      case 'lost':
        this.#hold(true);
        this.#stopGrace = clock.after(RESUME_SECONDS * 1_000, () => media.report({ type: 'timeout' }));
    }
  }

  #hold(is: boolean): void {
    if (!this.#answered || is === this.#reportedHold) return;
    this.#reportedHold = is;
    this.#events.emit({ type: is ? 'on_hold' : 'off_hold' });
  }
}

/** Duration of a DTMF digit: the page sends none, so the duration of a phone keypad is used. */
const PRESSED_MS = 100;
