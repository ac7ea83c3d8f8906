import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { MediaService } from '../../../sip/media/media-service.ts';
import type { OutboundAttempt, Signalling } from '../../../sip/signalling/signalling.ts';
import type { LegName } from '../../observability/traces/sip-traces.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import type { AdvertisedAddress } from '../../telephony/advertised-address.ts';
import { type DestinationPolicy, NO_TRUNKS } from '../../telephony/destinations/destination-ruling.ts';
import { FollowedRedirects } from '../../telephony/destinations/followed-redirects.ts';
import { type RedirectTarget, redirectTarget } from '../../telephony/destinations/redirect-target.ts';
import { judgeToHeader } from '../../telephony/destinations/to-header.ts';
import type { CallRate } from '../../telephony/trunks/call-rate.ts';
import { withCapacityRelease } from '../../telephony/trunks/capacity-release.ts';
import { ReservedCapacity } from '../../telephony/trunks/reserved-capacity.ts';
import { trunkAddress } from '../../telephony/trunks/trunk-address.ts';
import type { TrunkCapacity } from '../../telephony/trunks/trunk-capacity.ts';
import { trunkCredentials } from '../../telephony/trunks/trunk-credentials.ts';
import { TrunkFailover, type TrunkFailure } from '../../telephony/trunks/trunk-failover.ts';
import { trunksInOrder } from '../../telephony/trunks/trunk-order.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import { CallRefusedError, type PhoneCallRequest } from '../api-requests/call-service.ts';
import type { BridgeCall } from '../bridge/bridged-transfer.ts';
import { startFailureReason } from '../journal/start-failure-reason.ts';
import { storeNewCall } from '../journal/store-new-call.ts';
import { LegSession } from '../legs/leg-session.ts';
import { createOutboundLeg } from '../legs/outbound-leg.ts';
import type { SdpNegotiation } from '../legs/sdp-negotiation.ts';
import type { LiveCall } from '../live/live-call.ts';
import type { Launch, LiveCalls } from '../live/live-calls.ts';

/** First codec of our offers: the one that most callees choose. */
const OFFERED_FIRST = 'pcmu';

export interface OutboundCallsOptions {
  readonly calls: CallRepository;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly capacity: TrunkCapacity;
  /** Whether a trunk failed its last ping. */
  readonly isUnreachable: (trunkId: string) => boolean;
  /** Counts new calls per second, by organization. */
  readonly callRate: CallRate;
  readonly organizationLimits: OrganizationLimits;
  readonly cache: AgentCache;
  readonly liveCalls: Pick<LiveCalls, 'launch' | 'openMedia'>;
  readonly media: Pick<MediaService, 'capacity'>;
  readonly signalling: Pick<Signalling, 'invite'>;
  /** Makes the SDP side on the terms of a trunk. `peer`: the trunk's address; null if it is unknown. */
  readonly negotiation: (
    port: number,
    peer: string | null,
    trunk: Pick<SipTrunkRecord, 'codecs' | 'srtp' | 'inbandDtmf'>,
  ) => SdpNegotiation;
  readonly peerOf: AdvertisedAddress['peerOf'];
  readonly clock: Clock;
  readonly ringTimeoutMs: number;
  readonly destinations: DestinationPolicy;
  readonly bridge: BridgeCall;
  /** The dialog with this Call-ID is a leg of the call, whether or not the call succeeds. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
  readonly onFault: (callId: string, error: unknown) => void;
  readonly onTrunkFailed: (callId: string, failure: TrunkFailure) => void;
}

/** Limits of one organization's outbound calls over all nodes; null: no limit. */
export interface OrganizationLimits {
  readonly maxConcurrentCalls: number | null;
  readonly maxCallsPerSecond: number | null;
}

/** A request that the destination policy has allowed, with the parameters for dialling. */
interface JudgedRequest {
  readonly request: PhoneCallRequest;
  /** In the order to try them, at least one. */
  readonly trunks: readonly SipTrunkRecord[];
  /** All trunks of the organization. */
  readonly allTrunks: readonly SipTrunkRecord[];
  readonly reserved: ReservedCapacity;
}

/** The data of its call that an attempt at one trunk needs. */
interface AttemptOptions {
  readonly callId: string;
  /** Makes the offer on the terms of a trunk. */
  readonly offerTo: (trunk: SipTrunkRecord) => string;
  readonly onRedirected: (destination: string) => void;
}

/** Makes outbound calls. */
export class OutboundCalls {
  readonly #options: OutboundCallsOptions;
  /** Calls that are stored, and neither live nor ended. */
  readonly #dialling = new Set<Promise<void>>();
  /** Calls that are admitted and not stored yet. */
  #storing = 0;

  constructor(options: OutboundCallsOptions) {
    this.#options = options;
  }

  /** Calls that are admitted, and neither live nor ended. */
  get inProgress(): number {
    return this.#storing + this.#dialling.size;
  }

  /** Stores the call and starts to dial. Throws a `CallRefusedError`. */
  async start(request: PhoneCallRequest): Promise<{ readonly callId: string }> {
    const { destinations, media } = this.#options;
    const ruling = destinations(request.toNumber, NO_TRUNKS);
    if (!ruling.ok) throw new CallRefusedError('destination_refused', `the number cannot be called: ${ruling.reason}`);
    if (!media.capacity().accepted)
      throw new CallRefusedError('overloaded', 'this node has no capacity for further calls');
    this.#storing += 1;
    try {
      return await this.#place({ ...request, toNumber: ruling.destination });
    } finally {
      this.#storing -= 1;
    }
  }

  async #place(request: PhoneCallRequest): Promise<{ readonly callId: string }> {
    const [own, all] = await this.#ownTrunk(request);
    const headers = judgeToHeader(request.customHeaders, { trunks: all, own }, this.#options.destinations);
    if (!headers.ok) throw new CallRefusedError('to_header_refused', `it cannot be called: ${headers.reason}`);
    const trunks = trunksInOrder(own, all, this.#options.isUnreachable);
    const reserved = await this.#reserve(trunks);
    try {
      const judged = { ...request, customHeaders: headers.headers };
      return await this.#store({ request: judged, trunks, allTrunks: all, reserved });
    } catch (error) {
      reserved.release();
      throw error;
    }
  }

  async #store(judged: JudgedRequest): Promise<{ readonly callId: string }> {
    const { calls, clock } = this.#options;
    const { reserved, request } = judged;
    await this.#countStart(request.organizationId);
    const callId = randomUUID();
    const call = {
      id: callId,
      organizationId: request.organizationId,
      agentId: request.agentId,
      agentVersion: request.agentVersion,
      type: 'phone_call',
      direction: 'outbound',
      status: 'created',
      fromNumber: request.fromNumber,
      toNumber: request.toNumber,
      dynamicVariables: request.dynamicVariables,
      agentOverrides: request.agentOverrides,
      traceparent: request.traceparent ?? null,
      idempotent: request.idempotent,
      nowMs: clock.wallMs(),
    } as const;
    const { maxConcurrentCalls } = this.#options.organizationLimits;
    const store = async (): Promise<boolean> => {
      if (maxConcurrentCalls !== null) return calls.placeCall(call, maxConcurrentCalls);
      await calls.createCall(call);
      return true;
    };
    if (!(await storeNewCall({ callId, store }, this.#options))) throw atOrganizationLimit();
    const dialling = this.#dial(callId, judged)
      .then(() => {})
      .catch((error: unknown) => this.#fail(callId, error))
      .finally(() => {
        reserved.release();
        this.#dialling.delete(dialling);
      });
    this.#dialling.add(dialling);
    return { callId };
  }

  /** Calls in flight are counted in the database, when the call is stored. */
  async #countStart(organizationId: string): Promise<void> {
    const { callRate, organizationLimits } = this.#options;
    const { maxCallsPerSecond } = organizationLimits;
    if (maxCallsPerSecond === null) return;
    if (!(await callRate.take(`organization ${organizationId}`, maxCallsPerSecond))) throw atOrganizationLimit();
  }

  /** Resolves once every call so far is live or ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#dialling);
  }

  /** The trunk of the call's number, and all trunks of the organization. */
  async #ownTrunk(request: PhoneCallRequest): Promise<readonly [SipTrunkRecord, readonly SipTrunkRecord[]]> {
    if (request.trunkId === null)
      throw new CallRefusedError('no_trunk', 'the number has no SIP trunk: set its trunk_id');
    const all = await this.#options.trunks.all(request.organizationId);
    const own = all.find(({ id }) => id === request.trunkId);
    if (own === undefined)
      throw new CallRefusedError('no_trunk', 'the SIP trunk of the number was deleted: set its trunk_id');
    return [own, all];
  }

  /** Takes capacity of the first trunk below its limits, so that an accepted request is not refused later. */
  async #reserve(trunks: readonly SipTrunkRecord[]): Promise<ReservedCapacity> {
    for (const trunk of trunks) {
      const release = await this.#options.capacity.take(trunk);
      if (release !== null) return new ReservedCapacity(trunk.id, release);
    }
    throw new CallRefusedError('overloaded', 'the SIP trunk has reached its call limit');
  }

  async #dial(callId: string, judged: JudgedRequest): Promise<LiveCall | null> {
    const { cache, calls, clock, liveCalls } = this.#options;
    const { request, trunks } = judged;
    const agent = await cache.loadOf(request);
    const [first] = trunks;
    const terms = first ?? ({ codecs: [], srtp: 'off', inbandDtmf: false } as const);
    const media = await liveCalls.openMedia(callId, agent, terms.codecs[0] ?? OFFERED_FIRST);
    try {
      const negotiation = this.#options.negotiation(media.port, null, terms);
      const peers = await this.#peers(trunks);
      const initiated = await calls.setStatus(callId, { from: ['created'], to: 'initiated', atMs: clock.wallMs() });
      const call = initiated ? await calls.find(callId) : null;
      if (call === null) {
        media.close();
        return null;
      }
      const session = new LegSession(negotiation, media, null);
      const offerTo = (trunk: SipTrunkRecord): string => {
        session.restart(this.#options.negotiation(media.port, peers.get(trunk.id) ?? null, trunk));
        return session.offer();
      };
      let reportRedirect: (destination: string) => void = () => {};
      const onRedirected = (destination: string): void => reportRedirect(destination);
      const attempt = this.#attempt(judged, { callId, offerTo, onRedirected });
      const own = { callId, organizationId: request.organizationId, ownNumber: request.fromNumber };
      const bridging = this.#options.bridge(own, media);
      const leg: Launch['leg'] = (dialog) => {
        reportRedirect = dialog.onRedirected;
        return createOutboundLeg({ attempt, session, bridging, ...dialog });
      };
      return await liveCalls
        .launch({ call, agent, leg, route: { leg: 'callee', trunk_id: first?.id ?? null } })
        .catch((error: unknown) => {
          attempt.cancel();
          throw error;
        });
    } catch (error) {
      media.close();
      throw error;
    }
  }

  /** The address of each trunk by its id; null if it is unknown or does not affect our SDP. */
  async #peers(trunks: readonly SipTrunkRecord[]): Promise<ReadonlyMap<string, string | null>> {
    const { peerOf } = this.#options;
    return new Map(
      await Promise.all(trunks.map(async (trunk) => [trunk.id, await peerOf(trunkAddress(trunk))] as const)),
    );
  }

  #attempt(judged: JudgedRequest, options: AttemptOptions): OutboundAttempt {
    return new TrunkFailover(
      judged.trunks.map((trunk) => ({
        take: async () => judged.reserved.claim(trunk.id) ?? this.#options.capacity.take(trunk),
        begin: (release) => this.#attemptAt(judged, trunk, options, release),
        trunkId: trunk.id,
      })),
      (failure) => this.#options.onTrunkFailed(options.callId, failure),
    );
  }

  /** The call counts until it has ended. */
  #attemptAt(
    judged: JudgedRequest,
    trunk: SipTrunkRecord,
    options: AttemptOptions,
    release: () => void,
  ): OutboundAttempt {
    const { destinations, onLeg, ringTimeoutMs, secrets, signalling } = this.#options;
    const { allTrunks, request } = judged;
    const { callId, offerTo, onRedirected } = options;
    return withCapacityRelease(() => {
      const invite = (target: RedirectTarget | null) => {
        const attempt = signalling.invite({
          trunk: target?.trunk ?? trunkAddress(trunk),
          trunkId: trunk.id,
          to: target?.to ?? request.toNumber,
          from: request.fromNumber,
          headers: request.customHeaders,
          offer: offerTo(trunk),
          ringTimeoutMs,
          credentials: trunkCredentials(secrets, trunk),
          fromUser: trunk.fromUser,
          fromDomain: trunk.fromDomain,
        });
        onLeg(callId, 'callee', attempt.sipCallId);
        return attempt;
      };
      const targetOf = (contact: string) => redirectTarget(contact, trunk, allTrunks, destinations);
      return new FollowedRedirects({ begin: invite, targetOf, onRedirected });
    }, release);
  }

  async #fail(callId: string, error: unknown): Promise<void> {
    const { calls, clock, onFault, onStored } = this.#options;
    onFault(callId, error);
    const end = { status: 'failed', endReason: startFailureReason(error), atMs: clock.wallMs() } as const;
    await persist(() => calls.finish(callId, end));
    onStored(callId);
  }
}

function atOrganizationLimit(): CallRefusedError {
  return new CallRefusedError('organization_limit', 'the organization has reached its call limit');
}
