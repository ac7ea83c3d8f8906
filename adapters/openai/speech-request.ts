import { type AudioFormat, LINEAR16_RATES_HZ } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { type WavChunk, WavStream } from '../audio/wav-stream.ts';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { failureOfSdk } from '../official-sdk/sdk-failure.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from '../segmented-voice/segment-source.ts';

/**
 * Rate of `response_format: pcm`, unless the response states another (`audio/pcm;rate=22050`), as Piper servers do.
 */
const SAMPLE_RATE_HZ = 24_000;
const RATE = /^audio\/.*;\s*rate=(\d+)/i;
/** The response is in another format than requested; its bytes would play as noise. */
const NOT_SAMPLES = /mpeg|mp3|ogg|opus|aac|flac|webm|json|text\//i;
/** Requests the speech of a text. Rejects with the SDK's error. */
type RequestSpeech = (text: string, signal: AbortSignal) => Promise<Response>;

/** The current segment and the next one. */
const REQUESTS_MAX = 2;

/**
 * One request per segment. The response of the next segment waits unread, so that its first sample is ready for its
 * turn.
 */
export class SpeechRequestSource implements SegmentSource {
  readonly segmentsMax = REQUESTS_MAX;
  readonly #provider: string;
  readonly #request: RequestSpeech;

  constructor(provider: string, pool: ConnectionPool, request: RequestSpeech) {
    this.#provider = provider;
    this.#request = request;
    pool.warm();
  }

  begin(text: string, sink: SegmentSink): SegmentRun {
    return new SpeechRequest(this.#provider, (signal) => this.#request(text, signal), sink);
  }

  /** Each segment has its own request, which ends with it. */
  abandon(): void {}

  /** All calls share the connections. */
  close(): void {}
}

class SpeechRequest implements SegmentRun {
  readonly #provider: string;
  readonly #sink: SegmentSink;
  readonly #abort = new AbortController();
  #becomeFirst: () => void = () => undefined;

  constructor(provider: string, request: (signal: AbortSignal) => Promise<Response>, sink: SegmentSink) {
    this.#provider = provider;
    this.#sink = sink;
    const isFirst = new Promise<void>((resolve) => {
      this.#becomeFirst = resolve;
    });
    this.#run(request, isFirst).catch((error: unknown) => {
      if (this.#abort.signal.aborted) return;
      this.#abort.abort();
      sink.failed(failureOfSdk(provider, error, Date.now()));
    });
  }

  becomeFirst(): void {
    this.#becomeFirst();
  }

  drop(): void {
    this.#abort.abort();
    this.#becomeFirst();
  }

  async #run(request: (signal: AbortSignal) => Promise<Response>, isFirst: Promise<void>): Promise<void> {
    const response = await request(this.#abort.signal);
    const plain = plainFormat(response.headers.get('content-type') ?? '');
    if (plain === undefined) {
      this.#fail(this.#malformed('something else'));
      return;
    }
    const wav = new WavStream(plain);
    await isFirst;
    for await (const bytes of response.body ?? []) {
      if (this.#abort.signal.aborted) return;
      this.#take(wav.take(Buffer.from(bytes)));
    }
    if (!this.#abort.signal.aborted) this.#sink.done();
  }

  #take(chunk: WavChunk): void {
    if (chunk.type === 'audio') this.#sink.audio(chunk.format, chunk.audio);
    if (chunk.type === 'unplayable') this.#fail(this.#malformed(chunk.why));
  }

  #fail(error: ProviderError): void {
    this.#abort.abort();
    this.#sink.failed(error);
  }

  #malformed(why: string): ProviderError {
    return providerFailure(
      this.#provider,
      'malformed',
      `expected response_format pcm or wav, but the server sent ${why}`,
    );
  }
}

/** The sample format of a response without a header; undefined if it cannot be played. */
function plainFormat(contentType: string): AudioFormat | undefined {
  const sampleRateHz = Number(RATE.exec(contentType)?.[1] ?? SAMPLE_RATE_HZ);
  const isPlayable = !NOT_SAMPLES.test(contentType) && LINEAR16_RATES_HZ.includes(sampleRateHz);
  return isPlayable ? { encoding: 'linear16', sampleRateHz } : undefined;
}
