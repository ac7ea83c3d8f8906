import type { RtpMediaSession } from '../../../sip/media/media-service.ts';
import type { BridgeRequest, StartBridge } from '../legs/bridge-request.ts';
import type { BridgedCall } from './bridge-route.ts';
import { SecondLeg, type SecondLegEvent, type SecondLegOptions } from './second-leg.ts';

/** How the legs of one call are bridged. `media`: the caller's. */
export type BridgeCall = (call: BridgedCall, media: RtpMediaSession) => StartBridge;

export function createBridging(options: SecondLegOptions): BridgeCall {
  return (call, media) => (leg) => bridge(options, call, media, leg);
}

/**
 * A second leg beside the caller's, and the audio between the two. Until the second is answered the caller is the
 * agent's and hears it ring; from then on the end of one leg is that of the other.
 */
function bridge(options: SecondLegOptions, call: BridgedCall, media: RtpMediaSession, near: BridgeRequest): void {
  const { dialog, events, onDialog } = near;
  const { destination, headers, ringTimeoutMs } = near.transfer;
  let joined = false;

  /** The caller is the agent's again. */
  const returnToAgent = (reason: string) => {
    media.setPlaybackSource('agent');
    events.emit({ type: 'transfer_failed', reason });
  };

  const hear = (event: SecondLegEvent) => {
    switch (event.type) {
      case 'ringing':
        media.setPlaybackSource('ringback');
        break;
      case 'answered':
        joined = true;
        second.join();
        events.emit({ type: 'transfer_succeeded', bridged: true });
        break;
      case 'ended':
        if (joined) void dialog.bye();
        else returnToAgent(event.reason);
        break;
    }
  };
  const second = new SecondLeg(
    options,
    { call, media, destination, headers, ringTimeoutMs, onDialog },
    // Nothing is told before it was made: it begins with a question to the database.
    hear,
  );
  dialog.onEnded(() => second.end());
}
