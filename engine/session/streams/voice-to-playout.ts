import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { Media } from '../../ports/media.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../ports/voice.ts';
import type { Post } from '../inbox/inbox.ts';

/** Audio that waits for room in the playout: more than three minutes at 24 kHz. A voice that sends more has failed. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

interface OpenSegment {
  readonly utterance: number;
  readonly segment: number;
  started: boolean;
  playsMs: number;
}

type Waiting =
  | { readonly type: 'audio'; readonly of: OpenSegment; readonly format: AudioFormat; readonly audio: Uint8Array }
  | { readonly type: 'end'; readonly of: OpenSegment };

/**
 * From the voice to the playout: audio goes on as it comes, as fast as the playout takes it, and only what the rules
 * need of it becomes events. Segments that were cancelled are silent from that moment on.
 */
export class VoiceToPlayout {
  #stream: VoiceStream | null = null;
  #fault: ProviderError | null = null;
  readonly #open = new Map<number, OpenSegment>();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** The segments cancelled last, of those that events may still be on their way from. */
  #cancelled = { from: 0, through: 0 };
  #given = 0;
  /** Streams opened so far: only the last one is listened to. */
  #opened = 0;
  readonly #voice: Voice;
  readonly #media: Media;
  readonly #post: Post;
  readonly #phrases: readonly string[];

  /** `phrases`: the agent's fixed texts, for a voice that keeps them ready. */
  constructor(voice: Voice, media: Media, post: Post, phrases: readonly string[] = []) {
    this.#phrases = phrases;
    this.#voice = voice;
    this.#media = media;
    this.#post = post;
  }

  /** Replaces the stream. Audio of the previous one that waits for the playout stays queued. */
  openStream(options: Omit<VoiceOptions, 'format' | 'phrases'>): void {
    this.#fault = null;
    this.#closeStream();
    const opening = ++this.#opened;
    try {
      this.#stream = this.#voice.open({ ...options, phrases: this.#phrases, format: this.#media.format }, (event) => {
        if (opening === this.#opened) this.#take(event);
      });
    } catch (cause) {
      this.#fault = { provider: options.provider, code: 'unavailable', message: String(cause), retryable: true };
    }
  }

  speak(utterance: number, segment: number, text: string): void {
    this.#given = segment;
    this.#open.set(segment, { utterance, segment, started: false, playsMs: 0 });
    if (this.#stream === null) this.#take({ type: 'failed', segment, error: this.#fault ?? NOT_OPEN });
    else this.#stream.speak(segment, text);
  }

  /**
   * Silences the segments from this number on. What the voice has spoken of those before stays, also where it waits for
   * room; the stream itself is cancelled whole, so the one before must have ended.
   */
  cancel(from: number): void {
    this.#cancelled = { from, through: this.#given };
    for (const segment of [...this.#open.keys()]) if (segment >= from) this.#open.delete(segment);
    this.#keepWaiting((waiting) => waiting.of.segment < from);
    this.#stream?.cancel();
  }

  close(): void {
    this.#open.clear();
    this.#dropWaiting();
    this.#closeStream();
  }

  /** A stream whose close fails is dropped: none of its events is used any more. */
  #closeStream(): void {
    const stream = this.#stream;
    this.#stream = null;
    try {
      stream?.close();
    } catch {
      // Its socket is the adapter's.
    }
  }

  /** Gives the playout what waits for it, until it is full. Called from the playout's and the voice's own callbacks. */
  drain(): void {
    try {
      this.#giveOn();
    } catch (cause) {
      this.#dropWaiting();
      this.#post({ type: 'media.failed', message: String(cause) });
    }
  }

  #giveOn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { utterance, segment } = next.of;
      if (next.type === 'audio') {
        if (!this.#media.play(utterance, segment, next.format, next.audio)) return;
        this.#waitingBytes -= next.audio.length;
      } else this.#media.endSegment(utterance, segment);
      this.#waiting.shift();
    }
  }

  #take(event: VoiceEvent): void {
    const segment = this.#open.get(event.segment);
    if (segment === undefined) return;
    switch (event.type) {
      case 'audio':
        this.#takeAudio(segment, event.format, event.audio);
        break;
      case 'words':
        this.#tell(segment, { type: 'voice.words', segment: event.segment, words: event.words });
        break;
      case 'done':
        this.#end(segment);
        this.#tell(segment, { type: 'voice.done', segment: event.segment, durationMs: segment.playsMs });
        break;
      case 'failed':
        this.#end(segment);
        this.#tell(segment, { ...event, type: 'voice.failed', durationMs: segment.playsMs });
        break;
    }
  }

  #takeAudio(segment: OpenSegment, format: AudioFormat, audio: Uint8Array): void {
    if (audio.length === 0) return;
    if (this.#waitingBytes + audio.length > WAITING_BYTES_MAX) {
      this.#take({ type: 'failed', segment: segment.segment, error: TOO_MUCH });
      return;
    }
    segment.playsMs += durationMs(format, audio.length);
    this.#waiting.push({ type: 'audio', of: segment, format, audio });
    this.#waitingBytes += audio.length;
    if (!segment.started) {
      segment.started = true;
      this.#tell(segment, { type: 'voice.started', segment: segment.segment });
    }
    this.drain();
  }

  #end(segment: OpenSegment): void {
    this.#open.delete(segment.segment);
    // A segment without a sample never reaches the wire.
    if (segment.started) this.#waiting.push({ type: 'end', of: segment });
    this.drain();
  }

  #tell(segment: OpenSegment, event: Parameters<Post>[0]): void {
    this.#post(event, () => segment.segment < this.#cancelled.from || segment.segment > this.#cancelled.through);
  }

  #dropWaiting(): void {
    this.#keepWaiting(() => false);
  }

  #keepWaiting(keeps: (waiting: Waiting) => boolean): void {
    this.#waiting = this.#waiting.filter(keeps);
    this.#waitingBytes = this.#waiting.reduce((sum, one) => sum + (one.type === 'audio' ? one.audio.length : 0), 0);
  }
}

const NOT_OPEN: ProviderError = { provider: '', code: 'closed', message: 'the voice is not open', retryable: false };
const TOO_MUCH: ProviderError = {
  provider: '',
  code: 'malformed',
  message: 'the voice sent more audio than any segment has',
  retryable: false,
};
