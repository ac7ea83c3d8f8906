import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { WebMediaSession } from '../media-service.ts';
import type { SessionTransport } from '../worker-channel/media-worker-messages.ts';
import { LINEAR16_16K } from './peer-audio-reader.ts';
import { SessionHandle, type SessionHandleOptions } from './session-handle.ts';
import { WebChannelEndpoint } from './web-channel-endpoint.ts';

/** The main thread's handle of a web call's media session. */
export class WebSessionHandle extends SessionHandle implements WebMediaSession {
  readonly channel: WebChannelEndpoint;
  #begun = false;

  constructor(options: SessionHandleOptions) {
    super(options, LINEAR16_16K);
    this.channel = new WebChannelEndpoint(options.key);
  }

  start(): void {
    this.#begun = true;
    this.post({ type: 'start', ...this.key });
  }

  report(event: Extract<MediaEvent, { type: 'dtmf' | 'typed_text' | 'timeout' | 'failed' }>): void {
    this.handleEvent(event);
  }

  protected override cleared(utterance: number): void {
    this.channel.clear(utterance);
  }

  override collect(): void {
    super.collect();
    this.channel.collect();
  }

  /** The played time of a cleared utterance excludes audio that was still in the channel. */
  override handleEvent(event: MediaEvent): void {
    if (event.type !== 'cleared') super.handleEvent(event);
    else
      super.handleEvent({ ...event, playedMs: Math.max(0, event.playedMs - this.channel.withheldMs(event.utterance)) });
  }

  protected override get transport(): SessionTransport {
    return { type: 'web', memory: this.channel.memory.shared };
  }

  protected override restoreTransport(): void {
    if (this.#begun) this.post({ type: 'start', ...this.key });
  }
}
