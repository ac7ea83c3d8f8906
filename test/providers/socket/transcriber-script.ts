import type { WebSocket } from 'ws';
import { cutInFrame } from './half-frame.ts';

/** Something that a provider does once so much audio has come. */
export interface AudioStep {
  readonly audioMs: number;
  readonly action: AudioAction;
}

export type AudioAction =
  /** Words of what is being said, before they are final. */
  | { readonly type: 'words'; readonly text: string }
  /** These very characters as a text message. */
  | { readonly type: 'send_raw'; readonly text: string }
  | { readonly type: 'close'; readonly code: number }
  /** The connection is cut without a close frame. */
  | { readonly type: 'reset' }
  /** The connection ends in the middle of a message. */
  | { readonly type: 'half_frame' }
  /** From here on nothing is sent, not even a pong, and nothing taken in. */
  | { readonly type: 'stall' };

export interface CommitScript {
  readonly steps?: readonly AudioStep[];
  /** What is made final by the n-th commit; empty: no words. Null: it is never told. */
  readonly final?: (nth: number) => string | null;
  /** What is final is told twice. */
  readonly doubled?: boolean;
}

/** Plays a script by the position in the audio received; pings are answered until it stalls. */
export class ScriptPlayer {
  readonly #socket: WebSocket;
  readonly #words: (text: string) => void;
  #steps: readonly AudioStep[] = [];
  #stalled = false;

  constructor(socket: WebSocket, words: (text: string) => void) {
    this.#socket = socket;
    this.#words = words;
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
        this.#words(action.text);
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
