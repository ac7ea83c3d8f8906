import { type AudioFormat, durationMs } from '../../../base/audio/audio-format.ts';
import type { Media } from '../../ports/media.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../ports/voice.ts';
import type { Post } from '../inbox/inbox.ts';

/** Bound of the audio that waits for the playout: more than three minutes at 24 kHz. A voice that exceeds it has failed. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

interface OpenSegment {
  readonly utterance: number;
  readonly segment: number;
  readonly isDuckable: boolean;
  started: boolean;
  playsMs: number;
}

type Waiting =
  | { readonly type: 'audio'; readonly source: OpenSegment; readonly format: AudioFormat; readonly audio: Uint8Array }
  | { readonly type: 'end'; readonly source: OpenSegment };

/**
 * Passes the voice's audio to the playout as fast as the playout accepts it, and posts only the events that the rules
 * need. A cancelled segment produces no further audio or events.
 */
export class VoiceToPlayout {
  #stream: VoiceStream | null = null;
  #fault: ProviderError | null = null;
  readonly #open = new Map<number, OpenSegment>();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** The last cancelled range of segments: their events may still wait in the inbox. */
  #cancelled = { from: 0, through: 0 };
  #lastSegment = 0;
  /** Number of streams opened so far. Events of all but the last one are ignored. */
  #opened = 0;
  readonly #voice: Voice;
  readonly #media: Media;
  readonly #post: Post;
  readonly #phrases: readonly string[];

  /** @param phrases the agent's fixed texts, for a voice with a phrase cache */
  constructor(voice: Voice, media: Media, post: Post, phrases: readonly string[] = []) {
    this.#phrases = phrases;
    this.#voice = voice;
    this.#media = media;
    this.#post = post;
  }

  /** Replaces the stream. Queued audio of the previous stream is kept. */
  openStream(options: Omit<VoiceOptions, 'format' | 'phrases'>): void {
    this.#fault = null;
    this.#closeStream();
    const opening = ++this.#opened;
    try {
      this.#stream = this.#voice.open({ ...options, phrases: this.#phrases, format: this.#media.format }, (event) => {
        if (opening === this.#opened) this.#onEvent(event);
      });
    } catch (cause) {
      this.#fault = { provider: options.provider, code: 'unavailable', message: String(cause), retryable: true };
    }
  }

  speak(utterance: number, segment: number, text: string, isDuckable = true): void {
    this.#lastSegment = segment;
    this.#open.set(segment, { utterance, segment, isDuckable, started: false, playsMs: 0 });
    if (this.#stream === null) this.#onEvent({ type: 'failed', segment, error: this.#fault ?? NOT_OPEN });
    else this.#stream.speak(segment, text);
  }

  /**
   * Cancels the segments from this number on. Queued audio of earlier segments is kept. The whole stream is cancelled, so
   * the segment before `from` must have ended.
   */
  cancel(from: number): void {
    this.#cancelled = { from, through: this.#lastSegment };
    for (const segment of [...this.#open.keys()]) if (segment >= from) this.#open.delete(segment);
    this.#filterWaiting((waiting) => waiting.source.segment < from);
    this.#stream?.cancel();
  }

  close(): void {
    this.#open.clear();
    this.#dropWaiting();
    this.#closeStream();
  }

  /** Closes the stream and ignores its further events, even if close throws. */
  #closeStream(): void {
    const stream = this.#stream;
    this.#stream = null;
    try {
      stream?.close();
    } catch {
      // The adapter owns the socket.
    }
  }

  /** Passes queued audio to the playout until it is full. Called from callbacks of the playout and of the voice. */
  drain(): void {
    try {
      this.#passOn();
    } catch (cause) {
      this.#dropWaiting();
      this.#post({ type: 'media.failed', message: String(cause) });
    }
  }

  #passOn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { utterance, segment, isDuckable } = next.source;
      if (next.type === 'audio') {
        if (!this.#media.play(utterance, segment, next.format, next.audio, isDuckable)) return;
        this.#waitingBytes -= next.audio.length;
      } else this.#media.endSegment(utterance, segment);
      this.#waiting.shift();
    }
  }

  #onEvent(event: VoiceEvent): void {
    const segment = this.#open.get(event.segment);
    if (segment === undefined) return;
    switch (event.type) {
      case 'audio':
        this.#onAudio(segment, event.format, event.audio);
        break;
      case 'words':
        this.#postFor(segment, { type: 'voice.words', segment: event.segment, words: event.words });
        break;
      case 'done':
        this.#end(segment);
        this.#postFor(segment, { type: 'voice.done', segment: event.segment, durationMs: segment.playsMs });
        break;
      case 'failed':
        this.#end(segment);
        this.#postFor(segment, { ...event, type: 'voice.failed', durationMs: segment.playsMs });
        break;
    }
  }

  #onAudio(segment: OpenSegment, format: AudioFormat, audio: Uint8Array): void {
    if (audio.length === 0) return;
    if (this.#waitingBytes + audio.length > WAITING_BYTES_MAX) {
      this.#onEvent({ type: 'failed', segment: segment.segment, error: TOO_MUCH_AUDIO });
      return;
    }
    segment.playsMs += durationMs(format, audio.length);
    this.#waiting.push({ type: 'audio', source: segment, format, audio });
    this.#waitingBytes += audio.length;
    if (!segment.started) {
      segment.started = true;
      this.#postFor(segment, { type: 'voice.started', segment: segment.segment });
    }
    this.drain();
  }

  #end(segment: OpenSegment): void {
    this.#open.delete(segment.segment);
    // A segment without audio is not announced to the playout.
    if (segment.started) this.#waiting.push({ type: 'end', source: segment });
    this.drain();
  }

  #postFor(segment: OpenSegment, event: Parameters<Post>[0]): void {
    this.#post(event, () => segment.segment < this.#cancelled.from || segment.segment > this.#cancelled.through);
  }

  #dropWaiting(): void {
    this.#filterWaiting(() => false);
  }

  #filterWaiting(keeps: (waiting: Waiting) => boolean): void {
    this.#waiting = this.#waiting.filter(keeps);
    this.#waitingBytes = this.#waiting.reduce(
      (sum, queued) => sum + (queued.type === 'audio' ? queued.audio.length : 0),
      0,
    );
  }
}

const NOT_OPEN: ProviderError = { provider: '', code: 'closed', message: 'the voice is not open', retryable: false };
const TOO_MUCH_AUDIO: ProviderError = {
  provider: '',
  code: 'malformed',
  message: 'the voice sent more audio than any segment has',
  retryable: false,
};
