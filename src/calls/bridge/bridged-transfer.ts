import type { BridgeRequest, StartBridge } from '../legs/start-bridge.ts';
import type { HostedRtpMedia } from '../live/hosted-media.ts';
import type { BridgedCall } from './bridge-route.ts';
import { SecondLeg, type SecondLegEvent, type SecondLegOptions } from './second-leg.ts';

/** Bridges the legs of one call. `media`: the caller's. */
export type BridgeCall = (call: BridgedCall, media: HostedRtpMedia) => StartBridge;

export function createBridging(options: SecondLegOptions): BridgeCall {
  return (call, media) => (leg) => bridge(options, call, media, leg);
}

/**
 * Dials a second leg and connects its audio. Until it is answered, the caller belongs to the agent and hears ringback. Afterwards the end
 * of one leg ends the other.
 */
function bridge(options: SecondLegOptions, call: BridgedCall, media: HostedRtpMedia, near: BridgeRequest): void {
  const { dialog, events, onDialog, onRedirected } = near;
  const { destination, headers, ringTimeoutMs } = near.transfer;
  let joined = false;

  /** Gives the caller back to the agent. */
  const returnToAgent = (reason: string) => {
    media.setPlaybackSource('agent');
    events.emit({ type: 'transfer_failed', reason });
  };

  const onSecondLegEvent = (event: SecondLegEvent) => {
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
    { call, media, destination, headers, ringTimeoutMs, onDialog, onRedirected },
    // No event comes before the constructor returns: dialling begins with a database query.
    onSecondLegEvent,
  );
  dialog.onEnded(() => second.end());
}
