import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { MediaSession } from '../../../sip/media/media-service.ts';
import type { LiveCommand } from '../host/call-host.ts';

/** A call in progress on this node. */
export interface LiveCall {
  readonly callId: string;
  post(command: LiveCommand): void;
  readonly media: MediaSession;
  /** Resolves once the call has ended and all of its data is on the disk; never rejects. */
  readonly ended: Promise<EndReason>;
}
