import type { CallControl, CallControlEvent, LegEndCause, TransferOrder } from '../../engine/ports/call-control.ts';
import type { MediaLeg, MediaPlane } from '../../sip/media-worker/media-plane.ts';
import type { DialogRecovery, OutboundAttempt, Signalling, SipDialog } from '../../sip/signalling/signalling.ts';
import type { BridgedCall, BridgeRoute, BridgeRouter } from './bridge-route.ts';
import type { LegEvents } from './leg-events.ts';
import { LegSession } from './leg-session.ts';
import type { Negotiation } from './negotiation.ts';
import { createOutboundLeg } from './outbound-leg.ts';

/** Of the ten seconds that the engine gives signalling beyond the ring timeout, what routing and a port may take of it. */
const DIAL_SLACK_MS = 8_000;
/** Without an RTP packet for so long, a leg that is not on hold has lost its peer. */
const MEDIA_TIMEOUT_MS = 30_000;
/** What the second leg's audio comes to its listeners in; it has none. */
const UNHEARD_AS = 'pcmu';

export interface BridgeOptions {
  readonly media: Pick<MediaPlane, 'open'>;
  readonly signalling: Pick<Signalling, 'invite'>;
  /** On the terms of the trunk that the second leg goes out through. */
  readonly negotiation: (port: number, terms: BridgeRoute['terms']) => Negotiation;
  readonly route: BridgeRouter;
  /** The SIP server died under the bridge's leg: its peer is owed a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
  readonly onFault: (callId: string, error: unknown) => void;
}

/** Bridges the leg of this dialog; what comes of it goes to the leg's events. */
export type Bridging = (near: {
  readonly order: TransferOrder;
  readonly dialog: SipDialog;
  readonly events: LegEvents;
}) => void;

/** How the legs of one call are bridged. `media`: the caller's. */
export type BridgeCall = (call: BridgedCall, media: MediaLeg) => Bridging;

export function createBridging(options: BridgeOptions): BridgeCall {
  return (call, media) => (near) => new Bridge(options, { ...near, call, media }).begin();
}

interface Near {
  readonly order: TransferOrder;
  readonly dialog: SipDialog;
  readonly events: LegEvents;
  readonly call: BridgedCall;
  readonly media: MediaLeg;
}

/**
 * A second leg beside the caller's, and the audio between the two. Until the second is answered the caller is the
 * agent's and hears it ring; from then on the end of one leg is that of the other.
 */
class Bridge {
  readonly #options: BridgeOptions;
  readonly #near: Near;
  #state: 'dialling' | 'joined' | 'over' = 'dialling';
  #far: CallControl | null = null;
  #media: MediaLeg | null = null;
  readonly #deadline: NodeJS.Timeout;

  constructor(options: BridgeOptions, near: Near) {
    this.#options = options;
    this.#near = near;
    const { ringTimeoutMs } = near.order;
    this.#deadline = setTimeout(() => this.#fail('nobody answered'), ringTimeoutMs + DIAL_SLACK_MS);
  }

  begin(): void {
    const { call, dialog } = this.#near;
    dialog.onEnded(() => this.#letGo());
    this.#dial().catch((error: unknown) => {
      this.#options.onFault(call.callId, error);
      this.#fail('the call could not be placed');
    });
  }

  async #dial(): Promise<void> {
    const { negotiation, onLost, route, signalling } = this.#options;
    const { call, order } = this.#near;
    const target = await route(call, order.destination);
    if (typeof target === 'string') return this.#fail(`the destination is not dialled: ${target}`);
    if (this.#isOver()) return;
    const media = await this.#openMedia();
    if (this.#isOver()) return media.close();
    this.#media = media;
    const descriptions = negotiation(media.port, target.terms);
    const release = target.take();
    if (release === null) return this.#fail('the SIP trunk is at its limit of calls');
    let attempt: OutboundAttempt;
    try {
      attempt = signalling.invite({
        trunk: target.trunk,
        to: target.to,
        from: call.ownNumber,
        headers: order.headers,
        offer: descriptions.offer(),
        ringTimeoutMs: order.ringTimeoutMs,
        credentials: target.credentials,
      });
    } catch (error) {
      release();
      throw error;
    }
    void attempt.outcome.then((outcome) => {
      if (outcome.type === 'answered') outcome.dialog.onEnded(release);
      else release();
    });
    this.#far = createOutboundLeg({
      attempt,
      session: new LegSession(descriptions, media, null),
      bridging: null,
      onDialog: () => {},
      onLost,
    });
    this.#far.onEvent((event) => this.#hear(event, media));
  }

  #openMedia(): Promise<MediaLeg> {
    const { call, media } = this.#near;
    const { callId } = call;
    return this.#options.media.open({ callId, codec: UNHEARD_AS, mediaTimeoutMs: MEDIA_TIMEOUT_MS, beside: media });
  }

  #hear(event: CallControlEvent, media: MediaLeg): void {
    if (this.#state === 'over') return;
    if (event.type === 'ringing') this.#near.media.hear('ringback');
    else if (event.type === 'answered') this.#join(media);
    else if (event.type === 'ended' && this.#state === 'dialling') this.#fail(REASONS[event.cause]);
    else if (event.type === 'ended') this.#hangUpBoth();
  }

  #join(media: MediaLeg): void {
    const { events, media: near } = this.#near;
    this.#state = 'joined';
    clearTimeout(this.#deadline);
    near.hear(media);
    media.hear(near);
    media.onEvent(({ type }) => {
      if (type === 'timeout' || type === 'failed') this.#hangUpBoth();
    });
    events.tell({ type: 'transfer_succeeded', bridged: true });
  }

  /** The caller is the agent's again. */
  #fail(reason: string): void {
    if (this.#state !== 'dialling') return;
    this.#letGo();
    this.#near.media.hear('agent');
    this.#near.events.tell({ type: 'transfer_failed', reason });
  }

  #hangUpBoth(): void {
    this.#letGo();
    void this.#near.dialog.bye();
  }

  /** Nobody is left ringing or talking to nobody. */
  #letGo(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#deadline);
    this.#far?.hangUp();
    this.#media?.close();
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }
}

/** In words for the model. */
const REASONS: Readonly<Record<LegEndCause, string>> = {
  busy: 'the line is busy',
  no_answer: 'nobody answered',
  rejected: 'the call was rejected',
  remote_bye: 'the other side hung up at once',
  remote_cancel: 'the call could not be placed',
  local_bye: 'the call could not be placed',
  canceled: 'the call could not be placed',
  sip_error: 'the call could not be placed',
};
