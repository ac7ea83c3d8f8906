import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Refusal } from '../socket/refused-upgrade.ts';
import { type SocketEmulator, type SocketEmulatorOptions, startSocketEmulator } from '../socket/socket-emulator.ts';
import { type CommitScript, ScriptPlayer } from '../socket/transcriber-script.ts';

const chunkSchema = z.strictObject({
  message_type: z.literal('input_audio_chunk'),
  audio_base_64: z.base64().or(z.literal('')),
  commit: z.boolean(),
  sample_rate: z.number(),
});

export interface ScribeEmulatorOptions extends SocketEmulatorOptions {
  /** `nth` counts the sockets from 0. */
  readonly hear?: (nth: number, model: string) => CommitScript;
}

/** The audio received on one socket. */
export interface ScribeRecord {
  readonly query: URLSearchParams;
  readonly audio: readonly Buffer[];
  readonly audioMs: number;
  /** Audio positions of the commits, ms. */
  readonly commitsMs: readonly number[];
}

export type ScribeEmulator = SocketEmulator<ScribeRecord>;

const API_KEY = 'emulated-elevenlabs-key';
const PATH = '/v1/speech-to-text/realtime';
/** Bytes of 1 ms of audio, by format. */
const BYTES_PER_MS: Readonly<Record<string, number>> = { ulaw_8000: 8, pcm_8000: 16, pcm_16000: 32, pcm_24000: 48 };
/** ElevenLabs refuses to commit less audio. */
const COMMIT_MS_MIN = 300;
const KEYTERMS_MAX = 50;

/** A loopback server for ElevenLabs' realtime speech-to-text with manual commits. It rejects the requests that ElevenLabs rejects. */
export function startScribeEmulator(options: ScribeEmulatorOptions = {}): Promise<ScribeEmulator> {
  let sockets = 0;
  return startSocketEmulator<ScribeRecord>(
    {
      apiKey: API_KEY,
      autoPong: false,
      check,
      serve: (socket, url) => {
        const script = options.hear?.(sockets++, url.searchParams.get('model_id') ?? '') ?? {};
        return new ScribeSession(socket, url.searchParams, script);
      },
    },
    options,
  );
}

function check(request: IncomingMessage, url: URL): Refusal | undefined {
  if (url.pathname !== PATH) return { status: 404 };
  if (request.headers['xi-api-key'] !== API_KEY) return { status: 401 };
  const query = url.searchParams;
  const isKnown = (query.get('audio_format') ?? 'pcm_16000') in BYTES_PER_MS && (query.get('model_id') ?? '') !== '';
  const keyterms = query.getAll('keyterms');
  const areShort = keyterms.length <= KEYTERMS_MAX && keyterms.every((term) => term.length <= 20);
  return isKnown && areShort && query.get('commit_strategy') !== 'vad' ? undefined : { status: 400 };
}

class ScribeSession implements ScribeRecord {
  readonly query: URLSearchParams;
  readonly audio: Buffer[] = [];
  readonly commitsMs: number[] = [];
  audioMs = 0;
  readonly #script: CommitScript;
  readonly #player: ScriptPlayer;
  readonly #bytesPerMs: number;
  #uncommittedMs = 0;

  constructor(socket: WebSocket, query: URLSearchParams, script: CommitScript) {
    this.query = query;
    this.#script = script;
    this.#bytesPerMs = BYTES_PER_MS[query.get('audio_format') ?? 'pcm_16000'] ?? 32;
    this.#player = new ScriptPlayer(socket, (text) => this.#player.send({ message_type: 'partial_transcript', text }));
    this.#player.play(script);
    socket.on('message', (data) => this.#received(data));
    this.#player.send({
      message_type: 'session_started',
      session_id: '00000000000040008000000000000000',
      config: { model_id: query.get('model_id'), audio_format: query.get('audio_format'), commit_strategy: 'manual' },
    });
  }

  #received(data: RawData): void {
    if (this.#player.isStalled) return;
    const chunk = chunkSchema.safeParse(JSON.parse(String(data)));
    if (!chunk.success) {
      this.#player.send({ message_type: 'input_error', error: `refused, ${API_KEY}` });
      return;
    }
    const audio = Buffer.from(chunk.data.audio_base_64, 'base64');
    this.audio.push(audio);
    this.audioMs += audio.length / this.#bytesPerMs;
    this.#uncommittedMs += audio.length / this.#bytesPerMs;
    this.#player.advance(this.audioMs);
    if (chunk.data.commit) this.#commit();
  }

  #commit(): void {
    if (this.#uncommittedMs < COMMIT_MS_MIN) {
      this.#player.send({ message_type: 'commit_throttled', error: 'too little was said' });
      return;
    }
    this.#uncommittedMs = 0;
    const text = this.#script.final === undefined ? '' : this.#script.final(this.commitsMs.length);
    this.commitsMs.push(this.audioMs);
    if (text === null) return;
    for (let times = this.#script.doubled ? 2 : 1; times > 0; times--) {
      this.#player.send({ message_type: 'committed_transcript', text });
    }
  }
}
