import { ServiceUnreachable } from '../../api/service-unreachable.ts';
import { AudioPath } from '../audio/audio-path.ts';
import { MicrophoneError } from '../audio/microphone-fault.ts';
import { SilentPath } from '../audio/silent-path.ts';
import { mediaAddress } from './media-address.ts';
import { readWebCallMessage, type WebCallMessage } from './web-call-message.ts';
import { type Ending, isCallRunning, type Medium, NO_CALL, type WebCallState, withMessage } from './web-call-state.ts';

/** Frames are dropped while the network has this much left to send. */
const BUFFERED_BYTES_MAX = 64_000;
const RECONNECT_EVERY_MS = 1_000;

export interface WebCallStart {
  readonly medium: Medium;
  /** null: the browser chooses the microphone. */
  readonly deviceId: string | null;
  readonly serviceUrl: string;
  /** Creates the call and resolves with its `media_url`. Asked for only once the microphone is open. */
  readonly prepare: () => Promise<string>;
}

interface Connection {
  readonly url: URL;
  socket: WebSocket | null;
  resumeToken: string | null;
  resumeMs: number;
  /** Until when a lost connection is tried again. */
  resumeUntilMs: number | null;
}

/** One web call after another: its connection, its audio, and what the page shows of it. */
export class WebCall {
  #state: WebCallState = NO_CALL;
  #connection: Connection | null = null;
  #audio: AudioPath | SilentPath | null = null;
  /** A start that a newer one, or the end, has overtaken closes what it has opened. */
  #starts = 0;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): WebCallState => this.#state;

  /** The audio of the call; null in a typed call and between calls. */
  get audio(): AudioPath | null {
    return this.#audio instanceof AudioPath ? this.#audio : null;
  }

  /** Resolves when the connection begins or the start has failed; the state says which. Never rejects. */
  async start({ medium, deviceId, serviceUrl, prepare }: WebCallStart): Promise<void> {
    if (isCallRunning(this.#state)) return;
    const start = ++this.#starts;
    this.#change({ ...NO_CALL, phase: 'connecting', medium });
    try {
      const send = (frame: ArrayBuffer) => this.#sendFrame(frame);
      const audio = medium === 'microphone' ? await AudioPath.open(deviceId, send) : new SilentPath(send);
      if (start !== this.#starts) return audio.close();
      this.#audio = audio;
      this.#change({ ...this.#state, deviceId: this.audio?.deviceId ?? null });
      const { url, token } = mediaAddress(await prepare(), serviceUrl);
      if (start !== this.#starts) return;
      this.#connection = { url, socket: null, resumeToken: null, resumeMs: 0, resumeUntilMs: null };
      this.#connect(this.#connection, token);
    } catch (error) {
      if (start === this.#starts) this.#end(endingOf(error));
    }
  }

  mute(isMuted: boolean): void {
    this.audio?.mute(isMuted);
    this.#change({ ...this.#state, isMuted });
  }

  /** @throws MicrophoneError */
  async changeMicrophone(deviceId: string): Promise<void> {
    const { audio } = this;
    await audio?.changeMicrophone(deviceId);
    if (audio === this.audio) this.#change({ ...this.#state, deviceId });
  }

  write(text: string): void {
    this.#send({ type: 'text', text });
  }

  press(digit: string): void {
    this.#send({ type: 'dtmf', digit });
  }

  hangUp(): void {
    if (this.#connection?.socket?.readyState === WebSocket.OPEN) this.#send({ type: 'hangup' });
    else if (isCallRunning(this.#state)) this.#end({ type: 'ended', reason: 'caller_hangup' });
  }

  /** The page is left: a closed connection hangs up. */
  close(): void {
    if (isCallRunning(this.#state)) this.#end({ type: 'ended', reason: 'caller_hangup' });
  }

  #connect(connection: Connection, token: string): void {
    const url = new URL(connection.url);
    url.searchParams.set('token', token);
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    connection.socket = socket;
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#connection !== connection) return;
      const message = typeof data === 'string' ? readWebCallMessage(data) : null;
      if (message !== null) this.#take(connection, message);
      if (typeof data !== 'string') this.audio?.play(data);
    };
    socket.onclose = () => {
      if (this.#connection !== connection || connection.socket !== socket) return;
      connection.socket = null;
      if (this.#state.ending !== null) this.#end(this.#state.ending);
      else this.#reconnect(connection);
    };
  }

  #take(connection: Connection, message: WebCallMessage): void {
    if (message.type === 'clear') this.audio?.clear();
    if (message.type === 'connected') {
      connection.resumeToken = message.resumeToken;
      connection.resumeMs = message.resumeSeconds * 1_000;
      connection.resumeUntilMs = null;
    }
    this.#change(withMessage(this.#state, message, Date.now()));
  }

  /** A call can be resumed only after its first connection. */
  #reconnect(connection: Connection): void {
    const { resumeToken } = connection;
    if (resumeToken === null) {
      this.#end({ type: 'refused' });
      return;
    }
    connection.resumeUntilMs ??= Date.now() + connection.resumeMs;
    if (Date.now() > connection.resumeUntilMs) {
      this.#end({ type: 'lost' });
      return;
    }
    this.#change({ ...this.#state, phase: 'reconnecting' });
    setTimeout(() => {
      if (this.#connection === connection) this.#connect(connection, resumeToken);
    }, RECONNECT_EVERY_MS);
  }

  #sendFrame(frame: ArrayBuffer): void {
    const socket = this.#connection?.socket;
    if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < BUFFERED_BYTES_MAX) socket.send(frame);
  }

  #send(message: object): void {
    const socket = this.#connection?.socket;
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  #end(ending: Ending): void {
    this.#starts++;
    const socket = this.#connection?.socket;
    this.#connection = null;
    socket?.close();
    this.#audio?.close();
    this.#audio = null;
    this.#change({ ...this.#state, phase: 'ended', ending, endedMs: Date.now(), isMuted: false });
  }

  #change(state: WebCallState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function endingOf(error: unknown): Ending {
  if (error instanceof MicrophoneError) return { type: 'microphone', fault: error.fault };
  if (error instanceof ServiceUnreachable) return { type: 'refused' };
  return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
}
