import type { WebMediaSession } from '../../../sip/media/media-service.ts';

/** The browser's side of a web call's media. */
export interface WebCallMedia extends Pick<WebMediaSession, 'channel' | 'start' | 'report'> {
  readonly audio: Pick<WebMediaSession['audio'], 'onEvent'>;
}

/**
 * The access of a web call's WebSocket to its media, beside the port of `CallHost`. Frames pass through memory that the
 * WebSocket's thread shares with the media worker: a frame counts as played once it is read, and a clear takes effect
 * before the next frame. So a web call's connection and its host are in one process. Phone calls need none of this.
 */
export interface WebMediaAccess {
  /** Null if no web call with this id is reserved here. */
  webMedia(callId: string): WebCallMedia | null;
}
