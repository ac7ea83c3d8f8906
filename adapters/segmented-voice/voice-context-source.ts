import { type AudioFormat, durationMs } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { SpokenWord } from '../../engine/ports/voice.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import { ProviderSocket, type ProviderSocketDial } from '../provider-socket/provider-socket.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from './segment-source.ts';

type JsonMessage = Readonly<Record<string, unknown>>;

export type ContextMessage =
  | { readonly type: 'audio'; readonly context: string; readonly audio: Uint8Array }
  /** `from`: the origin of the times, the segment's first sample or the first sample of the audio that follows. */
  | {
      readonly type: 'words';
      readonly context: string;
      readonly from: 'segment' | 'chunk';
      readonly words: readonly SpokenWord[];
    }
  | { readonly type: 'done'; readonly context: string }
  /** Without a context the whole connection has failed. */
  | { readonly type: 'failed'; readonly context: string | undefined; readonly error: ProviderError }
  | { readonly type: 'malformed' };

/** A provider that speaks several texts at once on one socket, each in its own context. Plain functions. */
export interface ContextProtocol {
  readonly dial: ProviderSocketDial;
  readonly format: AudioFormat;
  /** Contexts that the provider allows at once. A dropped context counts until it has ended. */
  readonly contextsMax: number;
  readonly keepAlive?: { readonly everyMs: number; readonly message: JsonMessage };
  readonly closeMessage?: JsonMessage;
  speak(context: string, text: string): readonly JsonMessage[];
  /** Ends a context at once. Absent: the provider cannot, and a context frees its place only at its end. */
  cancel?(context: string): JsonMessage;
  /** Empty for a message that we ignore. */
  read(text: string): readonly ContextMessage[];
}

/** The current segment and the next one. */
const SEGMENTS_MAX = 2;

interface Context {
  /** Undefined once it was dropped. */
  sink: SegmentSink | undefined;
  audioMs: number;
}

interface Waiting {
  readonly context: string;
  readonly text: string;
  readonly sink: SegmentSink;
}

/** Each segment is a context. Its audio, end and failure carry the context's name, so segments cannot be confused. */
export class VoiceContextSource implements SegmentSource {
  readonly segmentsMax = SEGMENTS_MAX;
  readonly #protocol: ContextProtocol;
  #socket: ProviderSocket | undefined;
  #hasSpoken = false;
  #contexts = new Map<string, Context>();
  /** Segments that wait for the socket or for a free context. At most `SEGMENTS_MAX`. */
  #waiting: Waiting[] = [];
  #named = 0;
  #keepAlive: NodeJS.Timeout | undefined;

  /** Connects at once, so that the first text finds an open socket. */
  constructor(protocol: ContextProtocol) {
    this.#protocol = protocol;
    this.#dial();
  }

  begin(text: string, sink: SegmentSink): SegmentRun {
    this.#named++;
    const context = `segment-${this.#named}`;
    this.#waiting.push({ context, text, sink });
    if (this.#socket === undefined) this.#dial();
    this.#send();
    return { drop: () => this.#drop(context) };
  }

  abandon(): void {
    this.#socket?.abandon();
    this.#forget();
  }

  close(): void {
    this.#socket?.close(this.#protocol.closeMessage);
    this.#forget();
  }

  #dial(): void {
    this.#hasSpoken = false;
    this.#socket = new ProviderSocket(this.#protocol.dial, {
      onOpen: () => this.#opened(),
      onText: (text) => this.#received(text),
      onBinary: () => this.#lost(this.#malformed()),
      onPong: () => undefined,
      onLost: (error) => this.#lost(error),
    });
  }

  #opened(): void {
    const { keepAlive } = this.#protocol;
    if (keepAlive !== undefined) {
      this.#keepAlive = setInterval(() => this.#socket?.sendJson(keepAlive.message), keepAlive.everyMs);
    }
    this.#send();
  }

  #send(): void {
    const { contextsMax } = this.#protocol;
    while (this.#socket?.isOpen && this.#contexts.size < contextsMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#contexts.set(next.context, { sink: next.sink, audioMs: 0 });
      this.#hasSpoken = true;
      for (const message of this.#protocol.speak(next.context, next.text)) this.#socket.sendJson(message);
    }
  }

  #drop(name: string): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.context !== name);
    const context = this.#contexts.get(name);
    if (context === undefined) return;
    context.sink = undefined;
    const cancel = this.#protocol.cancel?.(name);
    if (cancel === undefined) return;
    this.#contexts.delete(name);
    this.#socket?.sendJson(cancel);
  }

  #received(text: string): void {
    for (const message of this.#protocol.read(text)) this.#take(message);
  }

  #take(message: ContextMessage): void {
    if (message.type === 'malformed') {
      this.#lost(this.#malformed());
      return;
    }
    if (message.type === 'failed' && message.context === undefined) {
      this.#lost(message.error);
      return;
    }
    // Messages of an ended context, and a second end, are ignored.
    const context = message.context === undefined ? undefined : this.#contexts.get(message.context);
    if (context === undefined || message.context === undefined) return;
    switch (message.type) {
      case 'audio':
        context.audioMs += durationMs(this.#protocol.format, message.audio.length);
        context.sink?.audio(this.#protocol.format, message.audio);
        return;
      case 'words':
        context.sink?.words(message.from === 'segment' ? message.words : later(message.words, context.audioMs));
        return;
      case 'done':
        this.#end(message.context);
        context.sink?.done();
        return;
      case 'failed':
        this.#end(message.context);
        context.sink?.failed(message.error);
    }
  }

  #end(context: string): void {
    this.#contexts.delete(context);
    this.#send();
  }

  /**
   * A lost socket fails its pending segments. Without pending segments nothing fails: a socket that the provider closed as idle
   * is opened again once, unless it was never used. Otherwise the next text connects.
   */
  #lost(error: ProviderError): void {
    const pending = [...this.#contexts.values(), ...this.#waiting].flatMap(({ sink }) => sink ?? []);
    const wasUsed = this.#hasSpoken;
    this.abandon();
    if (pending.length === 0 && wasUsed) this.#dial();
    for (const sink of pending) sink.failed(error);
  }

  #forget(): void {
    clearInterval(this.#keepAlive);
    this.#socket = undefined;
    this.#contexts = new Map();
    this.#waiting = [];
  }

  #malformed(): ProviderError {
    return providerFailure(this.#protocol.dial.provider, 'malformed', 'a message that the protocol does not have');
  }
}

function later(words: readonly SpokenWord[], byMs: number): readonly SpokenWord[] {
  return words.map(({ text, startMs, endMs }) => ({ text, startMs: startMs + byMs, endMs: endMs + byMs }));
}
