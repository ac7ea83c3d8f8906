import type { RawData, WebSocket } from 'ws';
import type { Delays } from '../loopback-server.ts';
import { cutInFrame } from '../socket/half-frame.ts';
import { type ListenServerMessage, metadata, results } from './listen-messages.ts';

/** The provider acts `delayMs` after it has received `audioMs` of audio. */
export interface ListenStep {
  readonly audioMs: number;
  readonly delayMs?: number;
  readonly action: ListenAction;
}

export type ListenAction =
  | { readonly type: 'send'; readonly message: ListenServerMessage }
  /** A text message with exactly these characters. */
  | { readonly type: 'send_raw'; readonly text: string }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }
  /** The connection is cut without a close frame. */
  | { readonly type: 'reset' }
  /** The connection ends in the middle of a message. */
  | { readonly type: 'half_frame' }
  /** From here on the server sends nothing, not even a pong, and ignores all messages. */
  | { readonly type: 'stall' };

export interface ListenScript {
  readonly steps: readonly ListenStep[];
  /** Response to `Finalize`. Default: an empty final result. */
  readonly onFinalize?: readonly ListenAction[];
  /** Response to each `Configure`. Default: a success. */
  readonly onConfigure?: readonly ListenAction[];
}

/** The messages and audio received on one listen socket. */
export interface ListenRecord {
  readonly query: URLSearchParams;
  readonly audioBytes: number;
  /** Types of the JSON messages, in order. */
  readonly controls: readonly string[];
  /** The parsed JSON messages, in order. */
  readonly messages: readonly unknown[];
  /** All audio, with the option `keepAudio`; otherwise empty. */
  readonly audio: readonly Buffer[];
}

/** The difference between the versions of the protocol. */
export interface ListenDialect {
  readonly opening: readonly ListenAction[];
  /** The response to a JSON message of this type; null: the type is unknown. */
  answer(type: string, audioMs: number, script: ListenScript): readonly ListenAction[] | null;
}

/** After this time without audio or KeepAlive, Deepgram closes with 1011, NET-0001. */
const IDLE_MS_MAX = 10_000;

export const LISTEN_V1: ListenDialect = {
  opening: [],
  answer: (type, audioMs, { onFinalize }) => {
    switch (type) {
      case 'KeepAlive':
        return [];
      case 'Finalize': {
        const empty = results('', { startMs: audioMs, endMs: audioMs, isFinal: true, fromFinalize: true });
        return onFinalize ?? [{ type: 'send', message: empty }];
      }
      case 'CloseStream':
        return [
          { type: 'send', message: metadata(audioMs) },
          { type: 'close', code: 1000, reason: '' },
        ];
      default:
        return null;
    }
  },
};

/** The provider's end of one listen socket. The amount of audio received triggers the steps of its script. */
export class ListenSession implements ListenRecord {
  readonly query: URLSearchParams;
  readonly controls: string[] = [];
  readonly messages: unknown[] = [];
  readonly audio: Buffer[] = [];
  audioBytes = 0;
  readonly #socket: WebSocket;
  readonly #script: ListenScript;
  readonly #dialect: ListenDialect;
  readonly #delays: Delays;
  readonly #keepsAudio: boolean;
  readonly #bytesPerMs: number;
  readonly #idle: NodeJS.Timeout;
  #nextStep = 0;
  #stalled = false;

  constructor(
    socket: WebSocket,
    query: URLSearchParams,
    script: ListenScript,
    delays: Delays,
    keepsAudio: boolean,
    dialect: ListenDialect = LISTEN_V1,
  ) {
    this.query = query;
    this.#dialect = dialect;
    this.#socket = socket;
    this.#script = { ...script, steps: script.steps.toSorted((a, b) => a.audioMs - b.audioMs) };
    this.#delays = delays;
    this.#keepsAudio = keepsAudio;
    const bytesPerSample = query.get('encoding') === 'linear16' ? 2 : 1;
    this.#bytesPerMs = (Number(query.get('sample_rate')) * bytesPerSample) / 1000;
    this.#idle = setTimeout(() => this.#socket.close(1011, 'NET-0001'), IDLE_MS_MAX);
    socket.on('message', (data, isBinary) => this.#received(data, isBinary));
    socket.on('ping', (data) => {
      if (!this.#stalled) socket.pong(data);
    });
    socket.on('close', () => clearTimeout(this.#idle));
    for (const action of dialect.opening) this.#act(action);
    this.#advance();
  }

  get #audioMs(): number {
    return this.audioBytes / this.#bytesPerMs;
  }

  #received(data: RawData, isBinary: boolean): void {
    if (this.#stalled) return;
    this.#idle.refresh();
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0);
    if (isBinary) {
      this.audioBytes += bytes.length;
      if (this.#keepsAudio) this.audio.push(bytes);
      this.#advance();
    } else {
      this.#control(bytes.toString('utf8'));
    }
  }

  #control(text: string): void {
    const message: unknown = JSON.parse(text);
    const type = typeof message === 'object' && message !== null && 'type' in message ? String(message.type) : '';
    this.controls.push(type);
    this.messages.push(message);
    const unknown: readonly ListenAction[] = [{ type: 'close', code: 1008, reason: 'DATA-0000' }];
    for (const action of this.#dialect.answer(type, this.#audioMs, this.#script) ?? unknown) this.#act(action);
  }

  #advance(): void {
    for (
      let step = this.#script.steps[this.#nextStep];
      step !== undefined && step.audioMs <= this.#audioMs;
      step = this.#script.steps[this.#nextStep]
    ) {
      this.#nextStep++;
      const { action, delayMs } = step;
      this.#delays.after(delayMs ?? 0, () => this.#act(action));
    }
  }

  #act(action: ListenAction): void {
    if (this.#stalled || this.#socket.readyState !== this.#socket.OPEN) return;
    switch (action.type) {
      case 'send':
        this.#socket.send(JSON.stringify(action.message));
        return;
      case 'send_raw':
        this.#socket.send(action.text);
        return;
      case 'close':
        this.#socket.close(action.code, action.reason);
        return;
      case 'reset':
        this.#socket.terminate();
        return;
      case 'half_frame':
        cutInFrame(this.#socket);
        return;
      case 'stall':
        this.#stalled = true;
        clearTimeout(this.#idle);
    }
  }
}
