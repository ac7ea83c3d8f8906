import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { LiveCommand } from '../host/call-host.ts';
import type { HostedRtpMedia } from './hosted-media.ts';

/** Ends a call that another node has closed. */
export const NODE_LOST = { type: 'call.terminate', reason: 'node_lost' } as const satisfies LiveCommand;

/** A call in progress on this node. */
export interface LiveCall {
  readonly callId: string;
  post(command: LiveCommand): void;
  /** The media of its first leg, for a capture. Null for a web call. */
  readonly rtp: Pick<HostedRtpMedia, 'capture'> | null;
  /** Resolves once the call has ended and all of its data is on the disk; never rejects. */
  readonly ended: Promise<EndReason>;
}
