import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Delays } from '../loopback-server.ts';
import type { Refusal } from '../socket/refused-upgrade.ts';
import { type SocketEmulator, type SocketEmulatorOptions, startSocketEmulator } from '../socket/socket-emulator.ts';
import { EMULATED_MS_PER_CHARACTER, type SpeakScript } from '../speech/speak-answer.ts';
import { breakSocket, playSpeech } from '../speech/speech-playback.ts';
import { toneBytes } from '../speech/tone-speech.ts';

const generationSchema = z.strictObject({
  context_id: z.string().min(1),
  model_id: z.string().min(1),
  transcript: z.string(),
  voice: z.union([z.string(), z.looseObject({ id: z.string().min(1) })]),
  language: z.string().length(2).optional(),
  output_format: z.strictObject({
    container: z.literal('raw'),
    encoding: z.enum(['pcm_s16le', 'pcm_mulaw', 'pcm_alaw']),
    sample_rate: z.union([z.literal(8_000), z.literal(16_000), z.literal(24_000)]),
  }),
  continue: z.boolean().optional(),
  flush: z.boolean().optional(),
  max_buffer_delay_ms: z.number().min(0).max(5_000).optional(),
  add_timestamps: z.boolean().optional(),
  use_normalized_timestamps: z.boolean().optional(),
  generation_config: z.strictObject({ speed: z.number().min(0.6).max(1.5) }).optional(),
});
const cancelSchema = z.strictObject({ context_id: z.string(), cancel: z.literal(true) });

type Generation = z.output<typeof generationSchema>;

export interface CartesiaEmulatorOptions extends SocketEmulatorOptions {
  readonly speak?: SpeakScript;
  /** Status with which a text is refused, as an error of its context. Undefined: the text is spoken. */
  readonly refuseText?: (text: string) => number | undefined;
}

/** The messages received on one socket. */
export interface CartesiaRecord {
  readonly generations: readonly Generation[];
  readonly cancelled: readonly string[];
}

export type CartesiaEmulator = SocketEmulator<CartesiaRecord>;

const API_KEY = 'emulated-cartesia-key';
const ENCODINGS = { pcm_s16le: 'linear16', pcm_mulaw: 'mulaw', pcm_alaw: 'alaw' } as const;

/** A loopback server for Cartesia's speech socket. It rejects the requests that Cartesia rejects. */
export function startCartesiaEmulator(options: CartesiaEmulatorOptions = {}): Promise<CartesiaEmulator> {
  return startSocketEmulator<CartesiaRecord>(
    { apiKey: API_KEY, check, serve: (socket, _url, delays) => new CartesiaSession(socket, options, delays) },
    options,
  );
}

function check(request: IncomingMessage, url: URL): Refusal | undefined {
  if (url.pathname !== '/tts/websocket') return { status: 404 };
  const version = url.searchParams.get('cartesia_version') ?? request.headers['cartesia-version'];
  // In browsers the SDK puts the key into the query.
  const key = url.searchParams.get('api_key') ?? request.headers.authorization?.replace(/^Bearer /, '');
  if (key !== API_KEY) return { status: 401 };
  return version === undefined ? { status: 400 } : undefined;
}

interface Context {
  readonly jobs: Generation[];
  isSpeaking: boolean;
  isWanted: boolean;
  spokenMs: number;
}

class CartesiaSession implements CartesiaRecord {
  readonly generations: Generation[] = [];
  readonly cancelled: string[] = [];
  readonly #socket: WebSocket;
  readonly #options: CartesiaEmulatorOptions;
  readonly #delays: Delays;
  readonly #contexts = new Map<string, Context>();
  #stalled = false;

  constructor(socket: WebSocket, options: CartesiaEmulatorOptions, delays: Delays) {
    this.#socket = socket;
    this.#options = options;
    this.#delays = delays;
    socket.on('message', (data) => this.#received(data));
  }

  #received(data: RawData): void {
    if (this.#stalled) return;
    const json: unknown = JSON.parse(String(data));
    const cancel = cancelSchema.safeParse(json);
    if (cancel.success) {
      this.#cancel(cancel.data.context_id);
      return;
    }
    const generation = generationSchema.safeParse(json);
    if (generation.success) this.#generate(generation.data);
    else this.#error(undefined, 400);
  }

  #cancel(name: string): void {
    this.cancelled.push(name);
    const context = this.#contexts.get(name);
    if (context !== undefined) context.isWanted = false;
    this.#contexts.delete(name);
  }

  #generate(generation: Generation): void {
    this.generations.push(generation);
    const refused = this.#options.refuseText?.(generation.transcript);
    if (refused !== undefined) {
      this.#error(generation.context_id, refused);
      return;
    }
    const name = generation.context_id;
    const context = this.#contexts.get(name) ?? { jobs: [], isSpeaking: false, isWanted: true, spokenMs: 0 };
    this.#contexts.set(name, context);
    context.jobs.push(generation);
    this.#next(name, context);
  }

  #next(name: string, context: Context): void {
    const job = context.isSpeaking ? undefined : context.jobs.shift();
    if (job === undefined) return;
    context.isSpeaking = true;
    const text = job.transcript;
    const answer = text === '' ? {} : (this.#options.speak?.(text, this.generations.indexOf(job)) ?? {});
    const { encoding, sample_rate: rateHz } = job.output_format;
    const audio = answer.audio ?? toneBytes(ENCODINGS[encoding], rateHz, text.length * EMULATED_MS_PER_CHARACTER);
    if (job.add_timestamps && text !== '') this.#timestamps(name, context, text);
    playSpeech(answer, audio, this.#delays, {
      isWanted: () => context.isWanted && !this.#stalled,
      chunk: (bytes) =>
        this.#send({
          type: 'chunk',
          data: Buffer.from(bytes).toString('base64'),
          done: false,
          status_code: 206,
          step_time: 1,
          context_id: name,
        }),
      breaks: (by) => {
        this.#stalled = breakSocket(this.#socket, by);
      },
      end: () => this.#end(name, context, job, answer.doubled ?? false),
    });
  }

  #end(name: string, context: Context, job: Generation, isDoubled: boolean): void {
    context.isSpeaking = false;
    if (job.continue) {
      this.#next(name, context);
      return;
    }
    this.#contexts.delete(name);
    const done = { type: 'done', done: true, status_code: 206, context_id: name };
    this.#send(done);
    if (isDoubled) this.#send(done);
  }

  /** Word times are seconds since the context's first sample. */
  #timestamps(name: string, context: Context, text: string): void {
    const words = [...text.matchAll(/\S+/g)];
    const secondsAt = (characters: number) => (context.spokenMs + characters * EMULATED_MS_PER_CHARACTER) / 1000;
    this.#send({
      type: 'timestamps',
      done: false,
      status_code: 206,
      context_id: name,
      word_timestamps: {
        words: words.map(([word]) => word),
        start: words.map(({ index }) => secondsAt(index)),
        end: words.map((match) => secondsAt(match.index + match[0].length)),
      },
    });
    context.spokenMs += text.length * EMULATED_MS_PER_CHARACTER;
  }

  #error(name: string | undefined, status: number): void {
    this.#send({
      type: 'error',
      done: true,
      title: 'Refused',
      message: `Refused with the key ${API_KEY}`,
      error_code: 'invalid_request',
      status_code: status,
      request_id: 'emulated',
      ...(name === undefined ? {} : { context_id: name }),
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
