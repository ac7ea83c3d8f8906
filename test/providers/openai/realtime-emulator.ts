import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Refusal } from '../socket/refused-upgrade.ts';
import { type SocketEmulator, type SocketEmulatorOptions, startSocketEmulator } from '../socket/socket-emulator.ts';
import { type CommitScript, ScriptPlayer } from '../socket/transcriber-script.ts';

const sessionSchema = z.strictObject({
  type: z.literal('transcription'),
  audio: z.strictObject({
    input: z.strictObject({
      format: z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000) }),
      transcription: z.strictObject({
        model: z.string().min(1),
        language: z.string().length(2).optional(),
        keywords: z.array(z.string()).optional(),
        prompt: z.string().optional(),
      }),
      turn_detection: z.null(),
    }),
  }),
});
export type RealtimeSession = z.output<typeof sessionSchema>;

const clientMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), session: z.unknown() }),
  z.strictObject({ type: z.literal('input_audio_buffer.append'), audio: z.base64() }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit') }),
]);

export interface OpenAiRealtimeOptions extends SocketEmulatorOptions {
  /** `nth` counts the sockets from 0. */
  readonly hear?: (nth: number, model: string) => CommitScript;
  /** Sends the transcript of the first commit after that of the second. */
  readonly swaps?: boolean;
}

/** The messages and audio received on one socket. */
export interface RealtimeRecord {
  readonly sessions: readonly RealtimeSession[];
  /** At 24 kHz, 16 bits. */
  readonly audio: readonly Buffer[];
  readonly audioMs: number;
  /** Audio positions of the commits, ms. */
  readonly commitsMs: readonly number[];
}

export type OpenAiRealtimeEmulator = SocketEmulator<RealtimeRecord>;

const API_KEY = 'emulated-openai-realtime-key';
const BYTES_PER_MS = 48;
/** OpenAI refuses to commit less audio. */
const COMMIT_MS_MIN = 100;

/** A loopback server for transcription sessions on OpenAI's realtime socket. It rejects the requests that OpenAI rejects. */
export function startOpenAiRealtimeEmulator(options: OpenAiRealtimeOptions = {}): Promise<OpenAiRealtimeEmulator> {
  let sockets = 0;
  return startSocketEmulator<RealtimeRecord>(
    {
      apiKey: API_KEY,
      autoPong: false,
      check,
      serve: (socket) => {
        const nth = sockets++;
        return new RealtimeServerSession(socket, (model) => options.hear?.(nth, model) ?? {}, options.swaps ?? false);
      },
    },
    options,
  ).then((emulator) => Object.assign(emulator, { baseUrl: `${emulator.baseUrl}/v1` }));
}

function check(request: IncomingMessage, url: URL): Refusal | undefined {
  if (url.pathname !== '/v1/realtime') return { status: 404 };
  if (request.headers.authorization !== `Bearer ${API_KEY}`) return { status: 401 };
  // A model in the query would open a conversation session.
  return url.search === '?intent=transcription' ? undefined : { status: 400 };
}

class RealtimeServerSession implements RealtimeRecord {
  readonly sessions: RealtimeSession[] = [];
  readonly audio: Buffer[] = [];
  readonly commitsMs: number[] = [];
  audioMs = 0;
  readonly #hear: (model: string) => CommitScript;
  #script: CommitScript = {};
  readonly #swaps: boolean;
  readonly #player: ScriptPlayer;
  #events = 0;
  #uncommittedMs = 0;
  #delayedReport: (() => void) | undefined;

  constructor(socket: WebSocket, hear: (model: string) => CommitScript, swaps: boolean) {
    this.#hear = hear;
    this.#swaps = swaps;
    this.#player = new ScriptPlayer(socket, (text) =>
      this.#transcription('delta', this.#itemOf(this.commitsMs.length), { delta: text }),
    );
    socket.on('message', (data) => this.#received(data));
    this.#send('session.created', { session: { type: 'transcription', object: 'realtime.session' } });
  }

  #received(data: RawData): void {
    if (this.#player.isStalled) return;
    const parsed = clientMessageSchema.safeParse(JSON.parse(String(data)));
    if (!parsed.success) {
      this.#refuse('invalid_value');
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case 'session.update': {
        const session = sessionSchema.safeParse(message.session);
        if (!session.success) {
          this.#refuse('invalid_value');
          return;
        }
        this.sessions.push(session.data);
        this.#script = this.#hear(session.data.audio.input.transcription.model);
        this.#player.play(this.#script);
        this.#send('session.updated', { session: session.data });
        return;
      }
      case 'input_audio_buffer.append':
        this.#append(Buffer.from(message.audio, 'base64'));
        return;
      case 'input_audio_buffer.commit':
        this.#commit();
    }
  }

  #append(audio: Buffer): void {
    if (this.sessions.length === 0 || audio.length % 2 !== 0) {
      this.#refuse('invalid_value');
      return;
    }
    this.audio.push(audio);
    this.audioMs += audio.length / BYTES_PER_MS;
    this.#uncommittedMs += audio.length / BYTES_PER_MS;
    this.#player.advance(this.audioMs);
  }

  #commit(): void {
    if (this.#uncommittedMs < COMMIT_MS_MIN) {
      this.#refuse('input_audio_buffer_commit_empty');
      return;
    }
    this.#uncommittedMs = 0;
    const nth = this.commitsMs.length;
    this.commitsMs.push(this.audioMs);
    const item = this.#itemOf(nth);
    const previous = nth === 0 ? null : this.#itemOf(nth - 1);
    this.#send('input_audio_buffer.committed', { item_id: item, previous_item_id: previous });
    const transcript = this.#script.final === undefined ? '' : this.#script.final(nth);
    if (transcript === null) return;
    const report = () => {
      for (let times = this.#script.doubled ? 2 : 1; times > 0; times--) {
        this.#transcription('completed', item, { transcript, usage: { type: 'duration', seconds: 1 } });
      }
      if (this.#script.doubled) this.#transcription('delta', item, { delta: transcript });
    };
    if (this.#swaps && this.#delayedReport === undefined) {
      this.#delayedReport = report;
      return;
    }
    report();
    this.#delayedReport?.();
    this.#delayedReport = undefined;
  }

  #itemOf(nth: number): string {
    return `item_${nth}`;
  }

  #transcription(event: 'delta' | 'completed', item: string, fields: Readonly<Record<string, unknown>>): void {
    this.#send(`conversation.item.input_audio_transcription.${event}`, { item_id: item, content_index: 0, ...fields });
  }

  #refuse(code: string): void {
    this.#send('error', {
      error: { type: 'invalid_request_error', code, message: `refused, ${API_KEY}`, param: null },
    });
  }

  #send(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#player.send({ type, event_id: `event_${this.#events++}`, ...fields });
  }
}
