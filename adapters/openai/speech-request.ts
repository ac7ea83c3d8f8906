import type OpenAI from 'openai';
import type { AudioFormat } from '../../engine/ports/audio-format.ts';
import { providerFailure } from '../provider-failure.ts';
import type { SegmentRun, SegmentSink, SpeechSource } from '../speech-source.ts';
import { WavStream } from '../wav-stream.ts';
import { chatFailure } from './chat-failure.ts';

/** `response_format: pcm`. */
const PLAIN: AudioFormat = { encoding: 'linear16', sampleRateHz: 24_000 };
/** Bytes that are not what was asked for: played, they would be noise. */
const NOT_SAMPLES = /mpeg|mp3|ogg|opus|aac|flac|webm|json|text\//i;
/** The segment being told and the next one. */
const REQUESTS_MAX = 2;

type Client = Pick<OpenAI, 'audio' | 'models'>;

/** A request a segment. The answer of the next one waits unread, so that its first sample is there when its turn comes. */
export class SpeechRequestSource implements SpeechSource {
  readonly segmentsMax = REQUESTS_MAX;
  readonly #provider: string;
  readonly #client: Client;
  readonly #requestOf: (text: string) => OpenAI.Audio.SpeechCreateParams;
  readonly #warmUp = new AbortController();

  constructor(provider: string, client: Client, requestOf: (text: string) => OpenAI.Audio.SpeechCreateParams) {
    this.#provider = provider;
    this.#client = client;
    this.#requestOf = requestOf;
    // Any small request makes the connection, so that the first words wait for neither TCP nor TLS; its answer is no matter.
    client.models.list({ signal: this.#warmUp.signal }).catch(() => undefined);
  }

  begin(text: string, sink: SegmentSink): SegmentRun {
    return new SpeechRequest(this.#provider, this.#client, this.#requestOf(text), sink);
  }

  /** Each segment has a request of its own, which ends with it. */
  abandon(): void {}

  close(): void {
    this.#warmUp.abort();
  }
}

class SpeechRequest implements SegmentRun {
  readonly #provider: string;
  readonly #sink: SegmentSink;
  readonly #abort = new AbortController();
  readonly #wav = new WavStream(PLAIN);
  #isAnswered = false;
  #lead: () => void = () => undefined;

  constructor(provider: string, client: Client, request: OpenAI.Audio.SpeechCreateParams, sink: SegmentSink) {
    this.#provider = provider;
    this.#sink = sink;
    const itsTurn = new Promise<void>((resolve) => {
      this.#lead = resolve;
    });
    this.#run(client, request, itsTurn).catch((error: unknown) => {
      if (this.#abort.signal.aborted) return;
      this.#abort.abort();
      const failure = chatFailure(error, this.#isAnswered, Date.now());
      // A request that cannot even be made fails within the call.
      setImmediate(() => sink.failed({ ...failure, provider }));
    });
  }

  lead(): void {
    this.#lead();
  }

  drop(): void {
    this.#abort.abort();
    this.#lead();
  }

  async #run(client: Client, request: OpenAI.Audio.SpeechCreateParams, itsTurn: Promise<void>): Promise<void> {
    const response = await client.audio.speech.create(request, { signal: this.#abort.signal });
    this.#isAnswered = true;
    const type = response.headers.get('content-type') ?? '';
    if (NOT_SAMPLES.test(type) || response.body === null) {
      this.#malformed('the answer is not the samples that were asked for');
      return;
    }
    await itsTurn;
    for await (const bytes of response.body) {
      if (this.#abort.signal.aborted) return;
      this.#take(bytes);
    }
    if (!this.#abort.signal.aborted) this.#sink.done();
  }

  #take(bytes: Uint8Array): void {
    const chunk = this.#wav.take(bytes);
    if (chunk.type === 'audio') this.#sink.audio(chunk.format, chunk.audio);
    if (chunk.type === 'unplayable') this.#malformed(chunk.why);
  }

  #malformed(why: string): void {
    this.#abort.abort();
    this.#sink.failed(providerFailure(this.#provider, 'malformed', why));
  }
}
