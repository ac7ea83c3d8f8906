import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Delays } from '../loopback-server.ts';
import type { Refusal } from '../socket/refused-upgrade.ts';
import { type SocketEmulator, type SocketEmulatorOptions, startSocketEmulator } from '../socket/socket-emulator.ts';
import { EMULATED_MS_PER_CHARACTER, type SpeakScript } from '../speech/speak-answer.ts';
import { breakSocket, playSpeech } from '../speech/speech-playback.ts';
import { toneBytes } from '../speech/tone-speech.ts';

const clientMessageSchema = z.strictObject({
  text: z.string().optional(),
  context_id: z.string().optional(),
  voice_settings: z.strictObject({ speed: z.number().min(0.7).max(1.2) }).optional(),
  flush: z.literal(true).optional(),
  close_context: z.literal(true).optional(),
  close_socket: z.literal(true).optional(),
});
type ClientMessage = z.output<typeof clientMessageSchema>;

export interface ElevenLabsEmulatorOptions extends SocketEmulatorOptions {
  readonly speak?: SpeakScript;
  /** Writes the field names of responses in snake case: the provider uses both cases. */
  readonly snakeCase?: boolean;
}

/** The messages received on one socket. */
export interface MultiContextRecord {
  readonly voice: string;
  readonly query: URLSearchParams;
  readonly messages: readonly ClientMessage[];
  readonly texts: readonly string[];
  /** The largest number of contexts that were open at once. */
  readonly openContextsMax: number;
}

export type ElevenLabsEmulator = SocketEmulator<MultiContextRecord>;

const API_KEY = 'emulated-elevenlabs-key';
const PATH = /^\/v1\/text-to-speech\/([^/]+)\/multi-stream-input$/;
const FORMATS: Readonly<Record<string, readonly [encoding: string, rateHz: number]>> = {
  ulaw_8000: ['mulaw', 8_000],
  alaw_8000: ['alaw', 8_000],
  pcm_8000: ['linear16', 8_000],
  pcm_16000: ['linear16', 16_000],
  pcm_24000: ['linear16', 24_000],
};
/** ElevenLabs closes a socket that opens more contexts. */
const CONTEXTS_MAX = 5;

/** A loopback server for ElevenLabs' multi-context socket. It rejects the requests that ElevenLabs rejects. */
export function startElevenLabsEmulator(options: ElevenLabsEmulatorOptions = {}): Promise<ElevenLabsEmulator> {
  return startSocketEmulator<MultiContextRecord>(
    { apiKey: API_KEY, check, serve: (socket, url, delays) => new MultiContextSession(socket, url, options, delays) },
    options,
  );
}

function check(request: IncomingMessage, url: URL): Refusal | undefined {
  if (!PATH.test(url.pathname)) return { status: 404 };
  if (request.headers['xi-api-key'] !== API_KEY) return { status: 401 };
  const known = (url.searchParams.get('output_format') ?? '') in FORMATS && url.searchParams.get('model_id');
  const inactivity = Number(url.searchParams.get('inactivity_timeout') ?? '20');
  return known && inactivity >= 1 && inactivity <= 180 ? undefined : { status: 400 };
}

interface Context {
  /** Flushed texts that are not yet spoken. */
  readonly jobs: string[];
  buffer: string;
  isSpeaking: boolean;
  isClosing: boolean;
}

class MultiContextSession implements MultiContextRecord {
  readonly voice: string;
  readonly query: URLSearchParams;
  readonly messages: ClientMessage[] = [];
  readonly texts: string[] = [];
  openContextsMax = 0;
  readonly #socket: WebSocket;
  readonly #options: ElevenLabsEmulatorOptions;
  readonly #delays: Delays;
  readonly #contexts = new Map<string, Context>();
  #stalled = false;

  constructor(socket: WebSocket, url: URL, options: ElevenLabsEmulatorOptions, delays: Delays) {
    this.voice = decodeURIComponent(PATH.exec(url.pathname)?.[1] ?? '');
    this.query = url.searchParams;
    this.#socket = socket;
    this.#options = options;
    this.#delays = delays;
    socket.on('message', (data) => this.#received(data));
  }

  #received(data: RawData): void {
    if (this.#stalled) return;
    const parsed = clientMessageSchema.safeParse(JSON.parse(String(data)));
    if (!parsed.success) {
      this.#socket.close(1008, 'invalid message');
      return;
    }
    const message = parsed.data;
    this.messages.push(message);
    if (message.close_socket) {
      this.#socket.close(1000);
      return;
    }
    const name = message.context_id;
    // A message without a context only keeps the socket alive.
    if (name === undefined) return;
    const context = this.#contexts.get(name) ?? this.#open(name, message);
    if (context === undefined) return;
    this.#handle(name, context, message);
  }

  #open(name: string, message: ClientMessage): Context | undefined {
    if (message.text !== ' ' || this.#contexts.size >= CONTEXTS_MAX) {
      this.#socket.close(1008, 'invalid context');
      return undefined;
    }
    const context = { jobs: [], buffer: '', isSpeaking: false, isClosing: false };
    this.#contexts.set(name, context);
    this.openContextsMax = Math.max(this.openContextsMax, this.#contexts.size);
    return context;
  }

  #handle(name: string, context: Context, message: ClientMessage): void {
    context.buffer += message.text ?? '';
    if (message.flush) {
      context.jobs.push(context.buffer.trim());
      context.buffer = '';
    }
    if (message.close_context) context.isClosing = true;
    this.#next(name, context);
  }

  #next(name: string, context: Context): void {
    if (context.isSpeaking) return;
    const text = context.jobs.shift();
    if (text !== undefined) {
      this.#speak(name, context, text);
    } else if (context.isClosing && this.#contexts.delete(name)) {
      this.#send(this.#options.snakeCase ? { is_final: true, context_id: name } : { isFinal: true, contextId: name });
    }
  }

  #speak(name: string, context: Context, text: string): void {
    context.isSpeaking = true;
    const answer = this.#options.speak?.(text, this.texts.length) ?? {};
    this.texts.push(text);
    const [encoding, rateHz] = FORMATS[this.query.get('output_format') ?? ''] ?? ['linear16', 16_000];
    const audio = answer.audio ?? toneBytes(encoding, rateHz, text.length * EMULATED_MS_PER_CHARACTER);
    playSpeech(answer, audio, this.#delays, {
      isWanted: () => !this.#stalled,
      chunk: (bytes, from, to) => this.#chunk(name, bytes, text, from, to),
      breaks: (by) => {
        this.#stalled = breakSocket(this.#socket, by);
      },
      end: () => {
        context.isSpeaking = false;
        this.#next(name, context);
        if (answer.doubled) this.#send({ isFinal: true, contextId: name });
      },
    });
  }

  /** Times in a message count from the first sample of that message. */
  #chunk(name: string, bytes: Uint8Array, text: string, from: number, to: number): void {
    const chars = [...text].slice(Math.round(from * text.length), Math.round(to * text.length));
    const alignment = {
      chars,
      charStartTimesMs: chars.map((_, n) => n * EMULATED_MS_PER_CHARACTER),
      charDurationsMs: chars.map(() => EMULATED_MS_PER_CHARACTER),
    };
    this.#send({
      audio: Buffer.from(bytes).toString('base64'),
      isFinal: null,
      alignment,
      normalizedAlignment: alignment,
      ...(this.#options.snakeCase ? { context_id: name } : { contextId: name }),
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
