import type { RtpMediaSession } from '../../../sip/media/media-plane.ts';
import type { BridgedLeg, Bridging } from '../legs/bridge-request.ts';
import type { BridgedCall } from './bridge-route.ts';
import { SecondLeg, type SecondLegEvent, type SecondLegOptions } from './second-leg.ts';

/** How the legs of one call are bridged. `media`: the caller's. */
export type BridgeCall = (call: BridgedCall, media: RtpMediaSession) => Bridging;

export function createBridging(options: SecondLegOptions): BridgeCall {
  return (call, media) => (leg) => bridge(options, call, media, leg);
}

/**
 * A second leg beside the caller's, and the audio between the two. Until the second is answered the caller is the
 * agent's and hears it ring; from then on the end of one leg is that of the other.
 */
function bridge(options: SecondLegOptions, call: BridgedCall, media: RtpMediaSession, near: BridgedLeg): void {
  const { dialog, events, onDialog } = near;
  const { destination, headers, ringTimeoutMs } = near.order;
  let joined = false;

  /** The caller is the agent's again. */
  const giveBack = (reason: string) => {
    media.setPlaybackSource('agent');
    events.tell({ type: 'transfer_failed', reason });
  };

  const hear = (event: SecondLegEvent) => {
    switch (event.type) {
      case 'ringing':
        media.setPlaybackSource('ringback');
        break;
      case 'answered':
        joined = true;
        second.join();
        events.tell({ type: 'transfer_succeeded', bridged: true });
        break;
      case 'ended':
        if (joined) void dialog.bye();
        else giveBack(event.reason);
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
