import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { Media } from '../../ports/media.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import type {
  Transcriber,
  TranscriberChange,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
} from '../../ports/transcriber.ts';
import type { Post } from '../inbox/inbox.ts';
import { transcriberCallEvent } from '../inbox/transcriber-events.ts';
import { UserAudioBuffer } from './user-audio-buffer.ts';

/** Buffered audio that a stream gets when it becomes ready. Adapters treat a socket with more unsent audio as stuck. */
const RESENT_AT_ONCE_MS = 8_000;
/** Further buffered audio that it gets with each packet of 20 ms: fifty times real time. */
const RESENT_PER_PACKET_MS = 1_000;

/** One stream of the transcriber. Its times count from `shiftMs` in the call's audio. */
interface StreamLink {
  stream: TranscriberStream | null;
  readonly provider: string;
  readonly shiftMs: number;
  /** Next position of the buffered audio that it gets; null: it has caught up and gets each packet at once. */
  resendFromMs: number | null;
  ready: boolean;
}

/**
 * Writes the user's audio to the transcriber, packet by packet, and posts the transcriber's events. Audio without a final
 * is buffered: a stream that replaces a lost one gets it again. All times in the inbox count from the call's first sample.
 */
export class UserAudioToTranscriber {
  #receivedMs: number | null = null;
  #link: StreamLink | null = null;
  #subscribed = false;
  #closed = false;
  readonly #buffer: UserAudioBuffer;
  /** The latest audio, whether it has a final or not. */
  readonly #latest: UserAudioBuffer;
  readonly #latestMs: number;
  readonly #transcriber: Transcriber;
  readonly #media: Media;
  readonly #post: Post;

  /** @param latestMs how much of the latest audio is kept for `latest` */
  constructor(transcriber: Transcriber, media: Media, post: Post, latestMs = 0) {
    this.#transcriber = transcriber;
    this.#media = media;
    this.#post = post;
    this.#buffer = new UserAudioBuffer(media.format);
    this.#latest = new UserAudioBuffer(media.format);
    this.#latestMs = latestMs;
  }

  /** User audio received so far, in ms; null before the first packet. */
  get audioMs(): number | null {
    return this.#receivedMs;
  }

  /** A copy of the latest audio. */
  latest(): Uint8Array {
    return this.#latest.read((this.#receivedMs ?? 0) - this.#latestMs, this.#latestMs).audio;
  }

  /**
   * Opens a stream that replaces the previous one. It starts at `fromMs`, or at the oldest buffered sample.
   *
   * @returns how much audio between `fromMs` and the start of the stream is lost, in ms
   */
  open(options: Omit<TranscriberOptions, 'format'>, fromMs: number): number {
    this.#closeStream();
    const isFirst = this.#receivedMs === null;
    const shiftMs = isFirst ? 0 : this.#buffer.startOf(fromMs);
    const link: StreamLink = {
      stream: null,
      provider: options.provider,
      shiftMs,
      resendFromMs: isFirst ? null : shiftMs,
      ready: false,
    };
    this.#link = link;
    try {
      const format = this.#media.format;
      link.stream = this.#transcriber.open({ ...options, format }, (event) => this.#onEvent(link, event));
    } catch (cause) {
      this.#fail(link, { provider: options.provider, code: 'unavailable', message: String(cause), retryable: true });
    }
    if (!this.#subscribed) this.#media.onAudio((format, audio) => this.#receive(format, audio));
    this.#subscribed = true;
    return Math.max(0, shiftMs - fromMs);
  }

  finalize(): void {
    this.#link?.stream?.finalize();
  }

  configure(change: TranscriberChange): void {
    this.#link?.stream?.configure?.(change);
  }

  close(): void {
    this.#closed = true;
    this.#closeStream();
  }

  /** Closes the stream and ignores its further events, even if close throws. */
  #closeStream(): void {
    const stream = this.#link?.stream;
    this.#link = null;
    try {
      stream?.close();
    } catch {
      // The adapter owns the socket.
    }
  }

  #receive(format: AudioFormat, audio: Uint8Array): void {
    if (this.#closed) return;
    this.#receivedMs = (this.#receivedMs ?? 0) + durationMs(format, audio.length);
    this.#buffer.add(audio);
    this.#keepLatest(audio);
    const link = this.#link;
    if (link === null) return;
    if (link.resendFromMs === null) this.#write(link, audio);
    else if (link.ready) this.#resend(link, RESENT_PER_PACKET_MS);
  }

  #keepLatest(audio: Uint8Array): void {
    if (this.#latestMs === 0) return;
    this.#latest.add(audio);
    this.#latest.dropBefore((this.#receivedMs ?? 0) - this.#latestMs);
  }

  /** Only for a ready stream: before that, adapters buffer a few seconds only. */
  #resend(link: StreamLink, atMostMs: number): void {
    if (link.resendFromMs === null) return;
    const { audio, untilMs, isAll } = this.#buffer.read(link.resendFromMs, atMostMs);
    link.resendFromMs = isAll ? null : untilMs;
    if (audio.length > 0) this.#write(link, audio);
  }

  #write(link: StreamLink, audio: Uint8Array): void {
    try {
      link.stream?.write(audio);
    } catch (cause) {
      this.#fail(link, { provider: link.provider, code: 'closed', message: String(cause), retryable: true });
    }
  }

  /** Reports the failure of a stream. Nothing is written to the stream after it. */
  #fail(link: StreamLink, error: ProviderError): void {
    link.stream = null;
    this.#onEvent(link, { type: 'failed', error });
  }

  /** Posts an event of the current stream. Events of a replaced stream are dropped, even if they already wait in the inbox. */
  #onEvent(link: StreamLink, event: TranscriberEvent): void {
    if (this.#closed || this.#link !== link) return;
    if (event.type === 'failed') link.stream = null;
    const callEvent = transcriberCallEvent(event, link.shiftMs);
    if (callEvent.type === 'transcriber.final') this.#buffer.dropBefore(callEvent.endMs);
    if (callEvent.type === 'transcriber.turn' && callEvent.phase === 'ended') this.#buffer.dropBefore(callEvent.endMs);
    this.#post(callEvent, () => this.#link === link);
    if (event.type !== 'ready') return;
    link.ready = true;
    this.#resend(link, RESENT_AT_ONCE_MS);
  }
}
