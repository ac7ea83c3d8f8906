import { randomUUID } from 'node:crypto';
import type { Clock } from '../../engine/ports/clock.ts';
import type { MediaPlane } from '../../sip/media-worker/media-plane.ts';
import type { Signalling } from '../../sip/signalling/signalling.ts';
import type { DestinationPolicy } from '../dialling/destination-policy.ts';
import type { CallRepository } from '../storage/call-repository.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../storage/sip-trunk-repository.ts';
import type { AgentCache } from './agent-cache.ts';
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
  readonly trunks: Pick<SipTrunkRepository, 'find'>;
  readonly cache: AgentCache;
  readonly launcher: CallLauncher;
  readonly media: Pick<MediaPlane, 'admission'>;
  readonly signalling: Pick<Signalling, 'invite'>;
  readonly negotiation: (port: number) => Negotiation;
  readonly clock: Clock;
  readonly ringTimeoutMs: number;
  readonly destinations: DestinationPolicy;
  readonly onFault: (callId: string, error: unknown) => void;
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
    const trunk = await this.#trunk(order);
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
    const dialling = this.#dial(callId, order, trunk)
      .catch((error: unknown) => this.#fail(callId, error))
      .finally(() => this.#dialling.delete(dialling));
    this.#dialling.add(dialling);
    return { callId };
  }

  /** Resolves once every call that was started so far lives, or has ended. */
  async dialled(): Promise<void> {
    await Promise.all(this.#dialling);
  }

  async #trunk(order: PhoneCallOrder): Promise<SipTrunkRecord> {
    const { trunks } = this.#options;
    if (order.trunkId === null) throw new CallRefusedError('no_trunk', 'the number has no SIP trunk');
    const trunk = await trunks.find(order.organizationId, order.trunkId);
    if (trunk === null) throw new CallRefusedError('no_trunk', 'the SIP trunk of the number is not there any more');
    return trunk;
  }

  async #dial(callId: string, order: PhoneCallOrder, trunk: SipTrunkRecord): Promise<void> {
    const { cache, calls, clock, launcher, ringTimeoutMs, signalling } = this.#options;
    const agent = await cache.load(order.agentId, order.agentVersion);
    const media = await launcher.openMedia(callId, agent, OFFERED_FIRST);
    try {
      const negotiation = this.#options.negotiation(media.port);
      const initiated = await calls.setStatus(callId, { from: ['created'], to: 'initiated', atMs: clock.wallMs() });
      const call = initiated ? await calls.find(callId) : null;
      if (call === null) {
        media.close();
        return;
      }
      const attempt = signalling.invite({
        trunk: { ...hostPort(trunk.terminationUri), transport: trunk.transport },
        to: order.toNumber,
        from: order.fromNumber,
        headers: order.customHeaders,
        offer: negotiation.offer(),
        ringTimeoutMs,
      });
      const session = new LegSession(negotiation, media, null);
      const leg: Launch['leg'] = (dialog) => createOutboundLeg({ attempt, session, ...dialog });
      await launcher.launch({ call, agent, media, leg }).catch((error: unknown) => {
        attempt.cancel();
        throw error;
      });
    } catch (error) {
      media.close();
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

/** Of a trunk's `host[:port]`, IPv6 addresses in brackets. */
function hostPort(terminationUri: string): { readonly host: string; readonly port: number | null } {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(terminationUri);
  return { host: match?.[1] ?? terminationUri, port: match?.[2] === undefined ? null : Number(match[2]) };
}
