import { linear16Bytes } from '../../base/audio/linear-samples.ts';
import { encodeWav } from '../../base/audio/wav.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import { ConnectionPool } from '../http/connection-pool.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import { TRANSCRIBER_DEADLINES } from '../socket-transcriber/socket-transcriber.ts';
import { type Cut, UtteranceCutter } from '../utterances/utterance-cutter.ts';
import { createOpenAiClient, type OpenAiClient } from './openai-client.ts';
import { type Transcription, transcribe } from './transcription-request.ts';

type Utterance = Extract<Cut, { readonly type: 'utterance' }>;

export interface UtteranceDeadlines {
  /** From the request to the whole response. */
  readonly answerMs: number;
  /**
   * A pause of this length in the incoming audio ends the utterance: a peer that suppresses silence sends no packets.
   */
  readonly pauseMs: number;
}

/** An utterance lasts seconds. A server that needs longer than this for it cannot keep up with a call. */
const DEADLINES: UtteranceDeadlines = { answerMs: 10_000, pauseMs: TRANSCRIBER_DEADLINES.pauseMs };
/** Utterances that wait for the previous one. With more, the words would arrive too late to be useful. */
const WAITING_MAX = 4;

/** Published for gpt-4o-transcribe. For other servers it is unknown, and the engine learns it during the call. */
const TRAITS: TranscriberTraits = { detectsTurns: false, hasDeadline: true, punctuates: true, finalP99Ms: 1_655 };

export interface UtteranceTranscriberAccess {
  readonly provider: string;
  /** With the version: `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface UtteranceTranscriber extends Transcriber {
  /** Opens the connection before the first utterance. */
  warm(): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Any server with OpenAI's `/audio/transcriptions`, for example a local Whisper. The adapter cuts utterances by their
 * loudness and sends them whole, one at a time. Finals only, without word times.
 */
export function createUtteranceTranscriber(
  { apiKey, baseUrl, provider }: UtteranceTranscriberAccess,
  deadlines: UtteranceDeadlines = DEADLINES,
): UtteranceTranscriber {
  const pool = new ConnectionPool(baseUrl);
  const client = createOpenAiClient({ apiKey, baseUrl }, pool);
  return {
    traitsOf: () => TRAITS,
    open: (options, emit) => {
      pool.warm();
      return new UtteranceStream(provider, client, options, deadlines, emit);
    },
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

class UtteranceStream implements TranscriberStream {
  readonly #provider: string;
  readonly #client: OpenAiClient;
  readonly #options: TranscriberOptions;
  readonly #answerMs: number;
  readonly #pauses: NodeJS.Timeout;
  readonly #cutter: UtteranceCutter;
  readonly #abort = new AbortController();
  /** In order; the first is being transcribed. */
  readonly #waiting: Utterance[] = [];
  #emit: ((event: TranscriberEvent) => void) | undefined;
  #writtenSincePause = false;

  constructor(
    provider: string,
    client: OpenAiClient,
    options: TranscriberOptions,
    { answerMs, pauseMs }: UtteranceDeadlines,
    emit: (event: TranscriberEvent) => void,
  ) {
    this.#provider = provider;
    this.#client = client;
    this.#options = options;
    this.#answerMs = answerMs;
    this.#pauses = setInterval(() => this.#lookForPause(), pauseMs);
    this.#emit = emit;
    this.#cutter = new UtteranceCutter(options.format);
    setImmediate(() => {
      if (!this.#abort.signal.aborted) this.#emit?.({ type: 'ready' });
    });
  }

  write(audio: Uint8Array): void {
    if (this.#abort.signal.aborted) return;
    this.#writtenSincePause = true;
    for (const cut of this.#cutter.take(audio)) if (cut.type === 'utterance') this.#add(cut);
  }

  finalize(): void {
    const utterance = this.#abort.signal.aborted ? undefined : this.#cutter.cut();
    if (utterance !== undefined) this.#add(utterance);
  }

  close(): void {
    this.#emit = undefined;
    this.#end();
  }

  #lookForPause(): void {
    if (!this.#writtenSincePause) this.finalize();
    this.#writtenSincePause = false;
  }

  #end(): void {
    clearInterval(this.#pauses);
    this.#abort.abort();
  }

  #add(utterance: Utterance): void {
    this.#waiting.push(utterance);
    if (this.#waiting.length === 1) void this.#transcribeAll();
    else if (this.#waiting.length > 1 + WAITING_MAX) {
      this.#fail(providerFailure(this.#provider, 'timeout', `${WAITING_MAX} utterances are waiting for the provider`));
    }
  }

  async #transcribeAll(): Promise<void> {
    const { sampleRateHz } = this.#options.format;
    for (let said = this.#waiting[0]; said !== undefined; said = this.#waiting[0]) {
      const { endMs, startMs } = said;
      const format = { encoding: 'linear16', sampleRateHz } as const;
      const wav = encodeWav({ format, channels: 1, data: linear16Bytes(said.samples) });
      const answer = await this.#transcribe(wav);
      if (this.#abort.signal.aborted) return;
      if (answer.type === 'failed') {
        this.#fail(answer.error);
        return;
      }
      // An utterance without speech has no words.
      const { text } = answer;
      if (text !== '') this.#emit?.({ type: 'final', text, words: [], startMs, endMs });
      this.#waiting.shift();
    }
  }

  async #transcribe(wav: Uint8Array): Promise<Transcription> {
    const late = new AbortController();
    const deadline = setTimeout(() => late.abort(), this.#answerMs);
    const signal = AbortSignal.any([this.#abort.signal, late.signal]);
    const answer = await transcribe(this.#provider, this.#client, this.#options, wav, signal);
    clearTimeout(deadline);
    if (!late.signal.aborted) return answer;
    const error = providerFailure(this.#provider, 'timeout', `no answer within ${this.#answerMs} ms`);
    return { type: 'failed', error };
  }

  #fail(error: ProviderError): void {
    if (this.#abort.signal.aborted) return;
    this.#end();
    setImmediate(() => {
      const emit = this.#emit;
      this.#emit = undefined;
      emit?.({ type: 'failed', error });
    });
  }
}
