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

/** Given to a stream as soon as it is ready; well under what one takes before it counts its socket as stuck. */
const RESENT_AT_ONCE_MS = 8_000;
/** The rest with each packet: fifty times as fast as it was spoken. */
const RESENT_PER_PACKET_MS = 1_000;

/** One stream of the transcriber. Its own times count from `shiftMs` of the call's audio. */
interface Link {
  stream: TranscriberStream | null;
  readonly provider: string;
  readonly shiftMs: number;
  /** The next position that it is to be given, where that lies behind what has come; null: each packet as it comes. */
  behindMs: number | null;
  ready: boolean;
}

/**
 * From the user's microphone to the transcriber, frame by frame as it arrives, and its answers into the inbox. What is
 * not final yet is kept, so that a stream that takes the place of a lost one hears it again; all times in the inbox go
 * on counting from the call's first sample.
 */
export class UserAudioToTranscriber {
  #receivedMs: number | null = null;
  #link: Link | null = null;
  #listens = false;
  #closed = false;
  readonly #kept: UserAudioBuffer;
  readonly #transcriber: Transcriber;
  readonly #media: Media;
  readonly #post: Post;

  constructor(transcriber: Transcriber, media: Media, post: Post) {
    this.#transcriber = transcriber;
    this.#media = media;
    this.#post = post;
    this.#kept = new UserAudioBuffer(media.format);
  }

  /** User audio received so far, in ms; null before the first packet. */
  get audioMs(): number | null {
    return this.#receivedMs;
  }

  /**
   * Opens a stream in the place of the one before. It hears the user from `fromMs` on, or from the oldest sample that
   * is kept: the answer tells how much of what it was to hear is gone, in ms.
   */
  open(options: Omit<TranscriberOptions, 'format'>, fromMs: number): number {
    this.#closeStream();
    const isFirst = this.#receivedMs === null;
    const shiftMs = isFirst ? 0 : this.#kept.startOf(fromMs);
    const link: Link = {
      stream: null,
      provider: options.provider,
      shiftMs,
      behindMs: isFirst ? null : shiftMs,
      ready: false,
    };
    this.#link = link;
    try {
      const format = this.#media.format;
      link.stream = this.#transcriber.open({ ...options, format }, (event) => this.#take(link, event));
    } catch (cause) {
      this.#fail(link, { provider: options.provider, code: 'unavailable', message: String(cause), retryable: true });
    }
    if (!this.#listens) this.#media.onAudio((format, audio) => this.#receive(format, audio));
    this.#listens = true;
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

  /** A stream whose close fails is dropped: none of its events is used any more. */
  #closeStream(): void {
    const stream = this.#link?.stream;
    this.#link = null;
    try {
      stream?.close();
    } catch {
      // Its socket is the adapter's.
    }
  }

  #receive(format: AudioFormat, audio: Uint8Array): void {
    if (this.#closed) return;
    this.#receivedMs = (this.#receivedMs ?? 0) + durationMs(format, audio.length);
    this.#kept.add(audio);
    const link = this.#link;
    if (link === null) return;
    if (link.behindMs === null) this.#write(link, audio);
    else if (link.ready) this.#resend(link, RESENT_PER_PACKET_MS);
  }

  /** A stream keeps only seconds of what it is given before it is ready: it gets the rest once it is. */
  #resend(link: Link, atMostMs: number): void {
    if (link.behindMs === null) return;
    const { audio, untilMs, isAll } = this.#kept.read(link.behindMs, atMostMs);
    link.behindMs = isAll ? null : untilMs;
    if (audio.length > 0) this.#write(link, audio);
  }

  #write(link: Link, audio: Uint8Array): void {
    try {
      link.stream?.write(audio);
    } catch (cause) {
      this.#fail(link, { provider: link.provider, code: 'closed', message: String(cause), retryable: true });
    }
  }

  /** A stream that has failed tells nothing more, and nothing more is written to it. */
  #fail(link: Link, error: ProviderError): void {
    link.stream = null;
    this.#take(link, { type: 'failed', error });
  }

  /** What a stream tells after another has taken its place is dropped, also where it already waits in the inbox. */
  #take(link: Link, event: TranscriberEvent): void {
    if (this.#closed || this.#link !== link) return;
    if (event.type === 'failed') link.stream = null;
    const callEvent = transcriberCallEvent(event, link.shiftMs);
    if (callEvent.type === 'transcriber.final') this.#kept.dropBefore(callEvent.endMs);
    if (callEvent.type === 'transcriber.turn' && callEvent.phase === 'ended') this.#kept.dropBefore(callEvent.endMs);
    this.#post(callEvent, () => this.#link === link);
    if (event.type !== 'ready') return;
    link.ready = true;
    this.#resend(link, RESENT_AT_ONCE_MS);
  }
}
