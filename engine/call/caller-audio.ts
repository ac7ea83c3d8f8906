import { type AudioFormat, durationMs } from '../ports/audio-format.ts';
import type { Media } from '../ports/media.ts';
import type { ProviderError } from '../ports/provider-error.ts';
import type { Transcriber, TranscriberEvent, TranscriberOptions, TranscriberStream } from '../ports/transcriber.ts';
import type { Post } from './inbox.ts';

/** From the caller's microphone to the transcriber, frame by frame as it arrives, and its answers into the inbox. */
export class CallerAudio {
  private receivedMs: number | null = null;
  private stream: TranscriberStream | null = null;
  private closed = false;
  private readonly transcriber: Transcriber;
  private readonly media: Media;
  private readonly post: Post;

  constructor(transcriber: Transcriber, media: Media, post: Post) {
    this.transcriber = transcriber;
    this.media = media;
    this.post = post;
  }

  /** Caller audio received so far, in ms; null before the first packet. */
  get audioMs(): number | null {
    return this.receivedMs;
  }

  open(options: Omit<TranscriberOptions, 'format'>): void {
    try {
      this.stream = this.transcriber.open({ ...options, format: this.media.format }, (event) => this.tell(event));
    } catch (cause) {
      this.fail({ provider: options.provider, code: 'unavailable', message: String(cause), retryable: true });
    }
    this.media.onAudio((format, audio) => this.take(format, audio, options.provider));
  }

  finalize(): void {
    this.stream?.finalize();
  }

  close(): void {
    this.closed = true;
    this.stream?.close();
    this.stream = null;
  }

  private take(format: AudioFormat, audio: Uint8Array, provider: string): void {
    if (this.closed) return;
    this.receivedMs = (this.receivedMs ?? 0) + durationMs(format, audio.length);
    try {
      this.stream?.write(audio);
    } catch (cause) {
      this.fail({ provider, code: 'closed', message: String(cause), retryable: true });
    }
  }

  /** A stream that has failed tells nothing more, and nothing more is written to it. */
  private fail(error: ProviderError): void {
    this.stream = null;
    this.tell({ type: 'failed', error });
  }

  private tell(event: TranscriberEvent): void {
    if (!this.closed) this.post(transcriberEvent(event));
  }
}

function transcriberEvent(event: TranscriberEvent): Parameters<Post>[0] {
  switch (event.type) {
    case 'ready':
      return { type: 'transcriber.ready' };
    case 'speech':
      return { ...event, type: 'transcriber.speech' };
    case 'interim':
      return { ...event, type: 'transcriber.interim' };
    case 'final':
      return { ...event, type: 'transcriber.final' };
    case 'utterance_end':
      return { ...event, type: 'transcriber.utterance_end' };
    case 'turn':
      return { ...event, type: 'transcriber.turn' };
    case 'failed':
      return { ...event, type: 'transcriber.failed' };
  }
}
