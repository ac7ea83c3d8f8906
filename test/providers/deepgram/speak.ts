import type { RawData, WebSocket } from 'ws';
import type { Delays } from '../loopback-server.ts';
import { cutInFrame } from '../socket/half-frame.ts';
import {
  EMULATED_MS_PER_CHARACTER,
  type SpeakAnswer,
  type SpeakBreak,
  type SpeakScript,
} from '../speech/speak-answer.ts';
import { toneBytes } from '../speech/tone-speech.ts';

/** The messages received on one speak socket. */
export interface SpeakRecord {
  readonly query: URLSearchParams;
  readonly texts: readonly string[];
  /** Types of the messages, in order. */
  readonly controls: readonly string[];
}

const CHUNK_BYTES = 4_096;
/** Deepgram's limit for one socket. It ignores a further flush and sends a warning. */
const FLUSHES_PER_WINDOW_MAX = 20;
const FLUSH_WINDOW_MS = 60_000;

/** Characters in one `Speak`. */
const TEXT_LENGTH_MAX = 2_000;

interface Job {
  readonly text: string;
  readonly nth: number;
  readonly epoch: number;
}

/** The provider's end of one speak v1 socket. */
export class SpeakSession implements SpeakRecord {
  readonly query: URLSearchParams;
  readonly texts: string[] = [];
  readonly controls: string[] = [];
  readonly #socket: WebSocket;
  readonly #script: SpeakScript;
  readonly #delays: Delays;
  #buffer = '';
  #jobs: Job[] = [];
  #isSpeaking = false;
  /** Counts each `Clear`. Audio of an older epoch is dropped. */
  #epoch = 0;
  #sequenceId = 0;
  #flushesAtMs: number[] = [];
  #stalled = false;
  readonly #clearMs: number;
  /** Messages received while a `Clear` is in progress; undefined outside a `Clear`. */
  #waitingMessages: string[] | undefined;

  constructor(socket: WebSocket, query: URLSearchParams, script: SpeakScript, delays: Delays, clearMs: number) {
    this.#clearMs = clearMs;
    this.query = query;
    this.#socket = socket;
    this.#script = script;
    this.#delays = delays;
    this.#send({ type: 'Metadata', request_id: 'emulated', model_name: query.get('model'), model_version: '1' });
    socket.on('message', (data, isBinary) => this.#received(data, isBinary));
  }

  #received(data: RawData, isBinary: boolean): void {
    if (this.#stalled) return;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#socket.close(1008, 'DATA-0000');
      return;
    }
    this.#enqueue(data.toString('utf8'));
  }

  #enqueue(json: string): void {
    if (this.#waitingMessages === undefined) this.#handle(json);
    else this.#waitingMessages.push(json);
  }

  #handle(json: string): void {
    const message: { type?: unknown; text?: unknown } = JSON.parse(json);
    const type = String(message.type);
    this.controls.push(type);
    switch (type) {
      case 'Speak': {
        const text = String(message.text);
        if (text.length > TEXT_LENGTH_MAX) this.#socket.close(1008, 'DATA-0000');
        else this.#buffer += text;
        return;
      }
      case 'Flush':
        this.#flush();
        return;
      case 'Clear':
        this.#waitingMessages = [];
        this.#delays.after(this.#clearMs, () => this.#clear());
        return;
      case 'Close':
        this.#socket.close(1000);
        return;
      default:
        this.#socket.close(1008, 'DATA-0000');
    }
  }

  #flush(): void {
    const nowMs = performance.now();
    this.#flushesAtMs = this.#flushesAtMs.filter((atMs) => atMs > nowMs - FLUSH_WINDOW_MS);
    if (this.#flushesAtMs.length >= FLUSHES_PER_WINDOW_MAX) {
      this.#send({ type: 'Warning', code: 'EXCESSIVE_FLUSH', description: 'too many flushes in 60 seconds' });
      return;
    }
    this.#flushesAtMs.push(nowMs);
    this.#jobs.push({ text: this.#buffer, nth: this.texts.length, epoch: this.#epoch });
    this.texts.push(this.#buffer);
    this.#buffer = '';
    this.#next();
  }

  #clear(): void {
    this.#buffer = '';
    this.#jobs = [];
    this.#isSpeaking = false;
    this.#epoch++;
    this.#send({ type: 'Cleared', sequence_id: this.#sequenceId++ });
    const waitingMessages = this.#waitingMessages ?? [];
    this.#waitingMessages = undefined;
    for (const json of waitingMessages) this.#enqueue(json);
  }

  #next(): void {
    const job = this.#isSpeaking ? undefined : this.#jobs.shift();
    if (job === undefined) return;
    this.#isSpeaking = true;
    const answer = this.#script(job.text, job.nth);
    const audio = answer.audio ?? this.#tone(job.text);
    this.#delays.after(answer.firstAudioMs ?? 0, () => this.#chunk(job, answer, audio, 0));
  }

  #chunk(job: Job, answer: SpeakAnswer, audio: Uint8Array, nth: number): void {
    if (job.epoch !== this.#epoch || this.#stalled) return;
    if (answer.breakBy !== undefined && nth === (answer.breakAfterChunks ?? 0)) {
      this.#break(answer.breakBy);
      return;
    }
    const size = answer.chunkBytes ?? CHUNK_BYTES;
    const bytes = audio.subarray(nth * size, (nth + 1) * size);
    if (bytes.length === 0) {
      this.#end(answer);
      return;
    }
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes);
    this.#delays.after(answer.chunkMs ?? 0, () => this.#chunk(job, answer, audio, nth + 1));
  }

  #end(answer: SpeakAnswer): void {
    const flushed = { type: 'Flushed', sequence_id: this.#sequenceId++ };
    this.#send(flushed);
    if (answer.doubled) this.#send(flushed);
    this.#isSpeaking = false;
    this.#next();
  }

  #break(by: SpeakBreak): void {
    switch (by) {
      case 'close':
        this.#socket.close(1011, 'NET-0000');
        return;
      case 'reset':
        this.#socket.terminate();
        return;
      case 'half_frame':
        cutInFrame(this.#socket);
        return;
      case 'malformed':
        this.#socket.send('{"type":');
        return;
      case 'stall':
        this.#stalled = true;
    }
  }

  #tone(text: string): Uint8Array {
    const durationMs = text.length * EMULATED_MS_PER_CHARACTER;
    return toneBytes(this.query.get('encoding') ?? 'linear16', Number(this.query.get('sample_rate')), durationMs);
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
