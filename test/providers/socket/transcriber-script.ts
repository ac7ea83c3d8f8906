import type { WebSocket } from 'ws';
import { cutInFrame } from './half-frame.ts';

/** The provider acts once it has received `audioMs` of audio. */
export interface AudioStep {
  readonly audioMs: number;
  readonly action: AudioAction;
}

export type AudioAction =
  /** An interim transcript. */
  | { readonly type: 'words'; readonly text: string }
  /** A text message with exactly these characters. */
  | { readonly type: 'send_raw'; readonly text: string }
  | { readonly type: 'close'; readonly code: number }
  /** The connection is cut without a close frame. */
  | { readonly type: 'reset' }
  /** The connection ends in the middle of a message. */
  | { readonly type: 'half_frame' }
  /** From here on the server sends nothing, not even a pong, and ignores all messages. */
  | { readonly type: 'stall' };

export interface CommitScript {
  readonly steps?: readonly AudioStep[];
  /** The final transcript of the n-th commit; empty: no words. Null: the provider never sends it. */
  readonly final?: (nth: number) => string | null;
  /** Sends each final transcript twice. */
  readonly doubled?: boolean;
}

/** The amount of audio received triggers the steps of the script. Answers pings until the script stalls. */
export class ScriptPlayer {
  readonly #socket: WebSocket;
  readonly #sendInterim: (text: string) => void;
  #steps: readonly AudioStep[] = [];
  #stalled = false;

  constructor(socket: WebSocket, sendInterim: (text: string) => void) {
    this.#socket = socket;
    this.#sendInterim = sendInterim;
    socket.on('ping', (data) => {
      if (!this.#stalled) socket.pong(data);
    });
  }

  play({ steps = [] }: CommitScript): void {
    this.#steps = steps.toSorted((a, b) => a.audioMs - b.audioMs);
  }

  get isStalled(): boolean {
    return this.#stalled;
  }

  advance(audioMs: number): void {
    const due = this.#steps.filter((step) => step.audioMs <= audioMs);
    this.#steps = this.#steps.slice(due.length);
    for (const { action } of due) this.#act(action);
  }

  send(message: Readonly<Record<string, unknown>>): void {
    if (!this.#stalled && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #act(action: AudioAction): void {
    if (this.#stalled || this.#socket.readyState !== this.#socket.OPEN) return;
    switch (action.type) {
      case 'words':
        this.#sendInterim(action.text);
        return;
      case 'send_raw':
        this.#socket.send(action.text);
        return;
      case 'close':
        this.#socket.close(action.code);
        return;
      case 'reset':
        this.#socket.terminate();
        return;
      case 'half_frame':
        cutInFrame(this.#socket);
        return;
      case 'stall':
        this.#stalled = true;
    }
  }
}
