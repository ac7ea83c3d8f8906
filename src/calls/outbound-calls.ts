import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/ports/clock.ts';
import type { MediaPlane } from '../../sip/media-worker/media-plane.ts';
import type { OutboundAttempt, Signalling } from '../../sip/signalling/signalling.ts';
import type { DestinationPolicy } from '../dialling/destination-policy.ts';
import type { Secrets } from '../secrets.ts';
import type { CallRepository } from '../storage/call-repository.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../storage/sip-trunk-repository.ts';
import { FailoverAttempt } from '../trunks/failover-attempt.ts';
import { trunksInOrder } from '../trunks/outbound-trunks.ts';
import { trunkAddress, trunkCredentials } from '../trunks/trunk-access.ts';
import type { TrunkCapacity } from '../trunks/trunk-capacity.ts';
import type { AgentCache } from './agent-cache.ts';
import type { BridgeCall } from './bridge.ts';
import type { CallLauncher, Launch } from './call-launcher.ts';
import { CallRefusedError, type PhoneCallOrder } from './call-service.ts';
import { LegSession } from './leg-session.ts';
import type { Negotiation } from './negotiation.ts';
import { createOutboundLeg } from './outbound-leg.ts';
import { persist } from './persist.ts';

/** Of the codecs in our offers: what most callees answer with. */
const OFFERED_FIRST = 'pcmu';

export interface OutboundCallsOptions {
  readonly calls: CallRepository;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly secrets: Pick<Secrets, 'open'>;
  readonly capacity: TrunkCapacity;
  readonly cache: AgentCache;
  readonly launcher: CallLauncher;
  readonly media: Pick<MediaPlane, 'admission'>;
  readonly signalling: Pick<Signalling, 'invite'>;
  /** On the terms of the number's own trunk. */
  readonly negotiation: (port: number, trunk: Pick<SipTrunkRecord, 'codecs' | 'srtp'>) => Negotiation;
  readonly clock: Clock;
  readonly ringTimeoutMs: number;
  readonly destinations: DestinationPolicy;
  readonly bridge: BridgeCall;
  readonly onFault: (callId: string, error: unknown) => void;
  /** The next trunk is tried, where there is one. */
  readonly onTrunkFailed: (callId: string, trunkId: string, reason: string) => void;
}

/** Calls that we place. */
export class OutboundCalls {
  readonly #options: OutboundCallsOptions;
  /** Calls that are stored, and neither live nor ended yet. */
  readonly #dialling = new Set<Promise<void>>();

  constructor(options: OutboundCallsOptions) {
    this.#options = options;
  }

  /** Stores the call and starts to dial. Throws a `CallRefusedError`. */
  async start(order: PhoneCallOrder): Promise<{ readonly callId: string }> {
    const { calls, clock, destinations, media } = this.#options;
    const refusal = destinations(order.toNumber);
    if (refusal !== null) throw new CallRefusedError('destination_refused', `the number is not dialled: ${refusal}`);
    if (!media.admission().accepted) throw new CallRefusedError('overloaded', 'no more calls fit on this node now');
    const trunks = await this.#trunks(order);
    const callId = randomUUID();
    await calls.createCall({
      id: callId,
      organizationId: order.organizationId,
      agentId: order.agentId,
      agentVersion: order.agentVersion,
      type: 'phone_call',
      direction: 'outbound',
      status: 'created',
      fromNumber: order.fromNumber,
      toNumber: order.toNumber,
      dynamicVariables: order.dynamicVariables,
      nowMs: clock.wallMs(),
    });
    const dialling = this.#dial(callId, order, trunks)
      .catch((error: unknown) => this.#fail(callId, error))
      .finally(() => this.#dialling.delete(dialling));
    this.#dialling.add(dialling);
    return { callId };
  }

  /** Resolves once every call that was started so far lives, or has ended. */
  async dialled(): Promise<void> {
    await Promise.all(this.#dialling);
  }

  /** In the order to try them, one or more. */
  async #trunks(order: PhoneCallOrder): Promise<readonly SipTrunkRecord[]> {
    if (order.trunkId === null) throw new CallRefusedError('no_trunk', 'the number has no SIP trunk');
    const all = await this.#options.trunks.all(order.organizationId);
    const own = all.find(({ id }) => id === order.trunkId);
    if (own === undefined) throw new CallRefusedError('no_trunk', 'the SIP trunk of the number is not there any more');
    // One offer goes to all of them: where the own trunk leaves encryption open, one that requires it is passed over.
    const usable = trunksInOrder(own, all).filter(({ srtp }) => srtp !== 'required' || own.srtp === 'required');
    if (!usable.some((trunk) => this.#options.capacity.fits(trunk))) {
      throw new CallRefusedError('overloaded', 'the SIP trunk is at its limit of calls');
    }
    return usable;
  }

  async #dial(callId: string, order: PhoneCallOrder, trunks: readonly SipTrunkRecord[]): Promise<void> {
    const { cache, calls, clock, launcher } = this.#options;
    const agent = await cache.load(order.agentId, order.agentVersion);
    const [first] = trunks;
    const terms = { codecs: first?.codecs ?? [], srtp: first?.srtp ?? 'off' } as const;
    const media = await launcher.openMedia(callId, agent, terms.codecs[0] ?? OFFERED_FIRST);
    try {
      const negotiation = this.#options.negotiation(media.port, terms);
      const initiated = await calls.setStatus(callId, { from: ['created'], to: 'initiated', atMs: clock.wallMs() });
      const call = initiated ? await calls.find(callId) : null;
      if (call === null) {
        media.close();
        return;
      }
      const attempt = this.#attempt(callId, order, trunks, negotiation.offer());
      const session = new LegSession(negotiation, media, null);
      const own = { callId, organizationId: order.organizationId, ownNumber: order.fromNumber };
      const bridging = this.#options.bridge(own, media);
      const leg: Launch['leg'] = (dialog) => createOutboundLeg({ attempt, session, bridging, ...dialog });
      await launcher.launch({ call, agent, media, leg }).catch((error: unknown) => {
        attempt.cancel();
        throw error;
      });
    } catch (error) {
      media.close();
      throw error;
    }
  }

  #attempt(callId: string, order: PhoneCallOrder, trunks: readonly SipTrunkRecord[], offer: string): OutboundAttempt {
    return new FailoverAttempt(
      trunks.map((trunk) => ({
        place: () => this.#place(order, trunk, offer),
        onFailed: (reason) => this.#options.onTrunkFailed(callId, trunk.id, reason),
      })),
    );
  }

  /** null where the trunk is at its limits. The call counts until it has ended. */
  #place(order: PhoneCallOrder, trunk: SipTrunkRecord, offer: string): OutboundAttempt | null {
    const { ringTimeoutMs, secrets, signalling } = this.#options;
    const release = this.#options.capacity.take(trunk);
    if (release === null) return null;
    try {
      const attempt = signalling.invite({
        trunk: trunkAddress(trunk),
        to: order.toNumber,
        from: order.fromNumber,
        headers: order.customHeaders,
        offer,
        ringTimeoutMs,
        credentials: trunkCredentials(secrets, trunk),
      });
      void attempt.outcome.then((outcome) => {
        if (outcome.type === 'answered') outcome.dialog.onEnded(release);
        else release();
      });
      return attempt;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #fail(callId: string, error: unknown): Promise<void> {
    const { calls, clock, onFault } = this.#options;
    onFault(callId, error);
    const end = { status: 'failed', endReason: 'internal_error', atMs: clock.wallMs() } as const;
    await persist(() => calls.finish(callId, end));
  }
}
