import type { CallControl, CallControlEvent, LegEndCause } from '../../../engine/ports/call-control.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { OutboundAttempt, Signalling, SipDialog } from '../../../sip/signalling/signalling.ts';
import type { LegName } from '../../observability/traces/sip-traces.ts';
import type { AdvertisedAddress } from '../../telephony/advertised-address.ts';
import { FollowedRedirects } from '../../telephony/destinations/followed-redirects.ts';
import type { RedirectTarget } from '../../telephony/destinations/redirect-target.ts';
import { withCapacityRelease } from '../../telephony/trunks/capacity-release.ts';
import { TrunkFailover, type TrunkFailure } from '../../telephony/trunks/trunk-failover.ts';
import { LegSession } from '../legs/leg-session.ts';
import { createOutboundLeg } from '../legs/outbound-leg.ts';
import type { SdpNegotiation } from '../legs/sdp-negotiation.ts';
import type { HostedRtpMedia } from '../live/hosted-media.ts';
import type { MediaReservations } from '../live/media-reservations.ts';
import type { BridgedCall, BridgeRoute, BridgeRouter } from './bridge-route.ts';

/** The share of routing and media in the ten seconds that the engine gives signalling beyond the ring timeout. */
const DIAL_SLACK_MS = 8_000;

export interface SecondLegOptions {
  readonly reservations: Pick<MediaReservations, 'reserveSecondLeg'>;
  readonly signalling: Pick<Signalling, 'invite'>;
  /** Makes the SDP side on the terms of a trunk. `peer`: its address; null if it is unknown. */
  readonly negotiation: (port: number, peer: string | null, terms: BridgeRoute['terms']) => SdpNegotiation;
  readonly peerOf: AdvertisedAddress['peerOf'];
  readonly findRoutes: BridgeRouter;
  /** The dialog with this Call-ID is a leg of the bridge, whether or not it succeeds. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** The SIP server exited under the second leg: its peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
  readonly onFault: (callId: string, error: unknown) => void;
  readonly onTrunkFailed: (callId: string, failure: TrunkFailure) => void;
}

export interface SecondLegRequest {
  readonly call: BridgedCall;
  /** The media of the first leg. */
  readonly media: HostedRtpMedia;
  /** `+` and digits, or a SIP URI; the destination policy has passed it. */
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ringTimeoutMs: number;
  /** The second leg has a dialog, or the data for its BYE after a crash has changed. */
  readonly onDialog: (dialog: Pick<SipDialog, 'recovery'>) => void;
  /** The destination redirected the leg to this one, followed or not. */
  readonly onRedirected: (destination: string) => void;
}

/** `not_dialled`: there is no route. `no_room`: every trunk is at its limits. `no_media`: no packets arrive any more. */
export type SecondLegEnd = LegEndCause | 'not_dialled' | 'no_room' | 'no_media';

export type SecondLegEvent =
  | { readonly type: 'ringing' }
  | { readonly type: 'answered' }
  /** The last event. `reason`: text for the model; `detail`: for people; `sipStatus`: present if a final response ended the leg. */
  | {
      readonly type: 'ended';
      readonly cause: SecondLegEnd;
      readonly reason: string;
      readonly sipStatus: number | null;
      readonly detail?: string | undefined;
    };

/** The leg to the destination of a bridge, from routing to its end. */
export class SecondLeg {
  readonly #options: SecondLegOptions;
  readonly #request: SecondLegRequest;
  readonly #emit: (event: SecondLegEvent) => void;
  #over = false;
  /** A trunk has counted the call. */
  #hadRoom = false;
  #control: CallControl | null = null;
  #media: HostedRtpMedia | null = null;
  readonly #deadline: NodeJS.Timeout;

  /** Begins to dial. */
  constructor(options: SecondLegOptions, request: SecondLegRequest, emit: (event: SecondLegEvent) => void) {
    this.#options = options;
    this.#request = request;
    this.#emit = emit;
    this.#deadline = setTimeout(() => this.#ended('no_answer'), request.ringTimeoutMs + DIAL_SLACK_MS);
    this.#dial().catch((error: unknown) => {
      options.onFault(request.call.callId, error);
      this.#ended('sip_error');
    });
  }

  /** Connects the audio of both legs. Call it once the leg is answered. */
  join(): void {
    const { media: near } = this.#request;
    const far = this.#media;
    if (far === null) return;
    near.bridge(far);
    far.onLost(() => this.#ended('no_media'));
  }

  /** Ends the leg in any state. Idempotent; no event follows. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#deadline);
    this.#control?.hangUp();
    this.#media?.close();
  }

  async #dial(): Promise<void> {
    const { negotiation, onLost, onTrunkFailed, peerOf, findRoutes } = this.#options;
    const { call, destination, onDialog } = this.#request;
    const routes = await findRoutes(call, destination);
    if (typeof routes === 'string') return this.#ended('not_dialled', `the destination is not dialled: ${routes}`);
    const peers = await Promise.all(routes.map(({ trunk }) => peerOf(trunk)));
    if (this.#over) return;
    const media = await this.#options.reservations.reserveSecondLeg(call.callId);
    if (this.#over) return media.close();
    this.#media = media;
    const [first] = routes;
    const session = new LegSession(negotiation(media.port, null, first.terms), media, null);
    const attempt = new TrunkFailover(
      routes.map((route, nth) => ({
        take: () => route.take(),
        begin: (release) =>
          this.#attempt(route, release, () => {
            session.restart(negotiation(media.port, peers[nth] ?? null, route.terms));
            return session.offer();
          }),
        trunkId: route.trunkId,
      })),
      (failure) => onTrunkFailed(call.callId, failure),
    );
    this.#control = createOutboundLeg({
      attempt,
      session,
      bridging: null,
      onDialog,
      onBridgedDialog: () => {},
      onRedirected: () => {},
      onLost,
    });
    this.#control.onEvent((event) => this.#onLegEvent(event));
  }

  /** The call counts until it has ended. */
  #attempt(route: BridgeRoute, release: () => void, offer: () => string): OutboundAttempt {
    const { call, headers, onRedirected, ringTimeoutMs } = this.#request;
    this.#hadRoom = true;
    return withCapacityRelease(() => {
      const { credentials, fromUser, fromDomain, trunkId } = route;
      const from = call.ownNumber;
      const begin = (target: RedirectTarget | null) => {
        const { trunk, to } = target ?? route;
        const identity = { from, fromUser, fromDomain };
        const invite = { trunk, trunkId, to, ...identity, headers, offer: offer(), ringTimeoutMs, credentials };
        const attempt = this.#options.signalling.invite(invite);
        this.#options.onLeg(call.callId, 'bridge', attempt.sipCallId);
        return attempt;
      };
      return new FollowedRedirects({ begin, targetOf: route.redirect, onRedirected });
    }, release);
  }

  #onLegEvent(event: CallControlEvent): void {
    if (this.#over) return;
    if (event.type === 'ringing') this.#emit({ type: 'ringing' });
    else if (event.type === 'answered') {
      clearTimeout(this.#deadline);
      this.#emit({ type: 'answered' });
    } else if (event.type === 'ended') {
      const cause = this.#hadRoom ? event.cause : 'no_room';
      this.#ended(cause, REASONS[cause], event.sipStatus ?? null, event.detail);
    }
  }

  #ended(cause: SecondLegEnd, reason = REASONS[cause], sipStatus: number | null = null, detail?: string): void {
    if (this.#over) return;
    this.end();
    this.#emit({ type: 'ended', cause, reason, sipStatus, detail });
  }
}

const NOT_PLACED = 'the call could not be placed';

/** Text for the model. */
const REASONS: Readonly<Record<SecondLegEnd, string>> = {
  busy: 'the line is busy',
  no_answer: 'nobody answered',
  rejected: 'the call was rejected',
  redirected: 'the destination has moved to another one, which is not dialled',
  remote_bye: 'the other side hung up at once',
  remote_cancel: NOT_PLACED,
  local_bye: NOT_PLACED,
  canceled: NOT_PLACED,
  sip_error: NOT_PLACED,
  not_dialled: 'the destination is not dialled',
  no_room: 'the SIP trunk has reached its call limit',
  no_media: 'nothing is heard of the other side',
};
