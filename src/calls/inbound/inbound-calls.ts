import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import { storedTraceparent } from '../../observability/opentelemetry/trace-context.ts';
import type { LegName } from '../../observability/traces/sip-traces.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallEnd, CallRepository } from '../../storage/calls/call-repository.ts';
import type { PhoneNumberRecord, PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { type DestinationPolicy, NO_TRUNKS } from '../../telephony/destinations/destination-ruling.ts';
import type { InboundCapacity } from '../../telephony/inbound-policy/inbound-capacity.ts';
import type { InboundPolicy } from '../../telephony/inbound-policy/inbound-policy.ts';
import { callerNumber } from '../../telephony/numbers/caller-number.ts';
import type { Refusal, RefusalCause } from '../../telephony/refusals/refusal-cause.ts';
import {
  BUSY_HERE,
  LOOP_DETECTED,
  NOT_FOUND,
  SERVER_ERROR,
  TEMPORARILY_UNAVAILABLE,
  UNAUTHORIZED,
} from '../../telephony/refusals/refusal-status.ts';
import type { ReportRefusal } from '../../telephony/refusals/report-refusal.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import type { BridgeCall } from '../bridge/bridged-transfer.ts';
import { EndWrites } from '../journal/end-writes.ts';
import { startFailureReason } from '../journal/start-failure-reason.ts';
import type { CallerSessions } from '../legs/caller-sessions.ts';
import { createInboundLeg } from '../legs/inbound-leg.ts';
import type { LiveCall } from '../live/live-call.ts';
import type { Launch, LiveCalls } from '../live/live-calls.ts';
import type { AcceptedCall, NumberCalls } from '../lookup/number-calls.ts';
import type { CountedCapacity } from '../overload/overload-guard.ts';
import { redirectContact } from '../redirect/redirect-contact.ts';
import type { RedirectedCalls } from '../redirect/redirected-calls.ts';
import type { StagedCalls } from '../staging/staged-calls.ts';
import { capacityRefusal } from './capacity-refusal.ts';
import { claimedDialog } from './claimed-dialog.ts';
import type { InboundCaller } from './inbound-caller.ts';
import { findInboundTarget, GUESS_LIMIT, type InboundTarget } from './inbound-target.ts';

/** First codec of our offers: the one that most callers choose for a late offer. */
const OFFERED_FIRST = 'pcmu';
/** While the ends of too many calls wait for the database. */
const NO_CAPACITY = { accepted: false, retryAfterSeconds: 10 } as const;

export interface InboundCallsOptions {
  readonly calls: CallRepository;
  readonly numberCalls: Pick<NumberCalls, 'decide'>;
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly policy: Pick<InboundPolicy, 'allowsLookUp' | 'decide' | 'recordUnknownTarget'>;
  readonly capacity: Pick<InboundCapacity, 'take'>;
  readonly staging: Pick<StagedCalls, 'settled' | 'forget'>;
  readonly cache: AgentCache;
  readonly liveCalls: Pick<LiveCalls, 'openMedia' | 'launch'>;
  readonly media: CountedCapacity;
  readonly sessions: Pick<CallerSessions, 'open' | 'tryAnswer'>;
  readonly bridge: BridgeCall;
  readonly redirected: Pick<RedirectedCalls, 'begin' | 'isCircle' | 'storeSentAway'>;
  readonly destinations: DestinationPolicy;
  /** The dialog with this Call-ID is a leg of the call, whether or not the call succeeds. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  readonly clock: Clock;
  readonly draining: () => boolean;
  readonly onStored: (callId: string) => void;
  readonly onFault: (error: unknown) => void;
  readonly comparesStagedNumber: boolean;
  /** Called once for each refused INVITE. */
  readonly onRefused: ReportRefusal;
}

type Acceptance =
  | { readonly ok: true; readonly codec: RtpMediaSessionOptions['codec'] }
  | { readonly ok: false; readonly status: number; readonly reason: string };

/** A call in progress. */
type EndingCall = Pick<LiveCall, 'ended'>;

/** The launch parameters of a call besides its record. */
type CallSetup = Pick<AcceptedCall, 'agent' | 'untrustedVariables'>;

/**
 * Turns an INVITE into a call: the staged call that it names, otherwise the redirect or the agent of the called number, otherwise 404.
 * A staged call is claimed only after every check that can refuse the INVITE. An INVITE that is cancelled during the checks is
 * claimed too: its leg reports the CANCEL, and the call ends as `canceled`.
 */
export class InboundCalls {
  readonly #options: InboundCallsOptions;
  readonly #inProgress = new Set<Promise<void>>();
  /** Refused already: a second refusal has no effect and is not logged. */
  readonly #refused = new WeakSet<InboundInvite>();
  /** Of calls whose INVITEs were refused. */
  readonly #ends = new EndWrites();

  constructor(options: InboundCallsOptions) {
    this.#options = options;
  }

  /** Never throws: an error refuses this INVITE. */
  handle(invite: InboundInvite): void {
    const handling = this.#handleSafely(invite).finally(() => this.#inProgress.delete(handling));
    this.#inProgress.add(handling);
  }

  /** INVITEs that are neither refused nor a live call yet. */
  get inProgress(): number {
    return this.#inProgress.size;
  }

  /** Resolves once every INVITE so far is a live call, or refused and the end of its call stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#inProgress);
    await this.#ends.written();
  }

  async #handleSafely(invite: InboundInvite): Promise<void> {
    try {
      await this.#route(invite);
    } catch (error) {
      this.#options.onFault(error);
      this.#refuse(invite, { cause: 'internal_error', status: SERVER_ERROR, detail: null, organizationId: null });
    }
  }

  async #route(invite: InboundInvite): Promise<void> {
    // `handle` counts the INVITE after this.
    if (this.#refuseWithoutCapacity(invite, 0)) return;
    if (!this.#options.policy.allowsLookUp(invite)) return this.#refuse(invite, GUESS_LIMIT);
    const target = await findInboundTarget(invite, this.#options);
    if (target.type === 'none') {
      this.#options.policy.recordUnknownTarget(invite);
      this.#refuse(invite, target.refusal);
      return;
    }
    const caller = await this.#admitCaller(invite, target);
    if (caller === null) return;
    await this.#takeWithinLimits(caller, target);
  }

  /** The call counts from here to its end. */
  async #takeWithinLimits(caller: InboundCaller, target: InboundTarget): Promise<void> {
    const { invite, isSourceTrusted, trunk } = caller;
    const taken = this.#options.capacity.take({
      organizationId: caller.organizationId,
      trunkId: trunk?.id ?? null,
      untrustedSource: isSourceTrusted ? null : invite.source.address,
    });
    if (taken.type === 'full') {
      this.#refuseCaller(caller, 'inbound_limit', BUSY_HERE, `of the ${taken.limit}`);
      return;
    }
    let call: EndingCall | null = null;
    try {
      call = await this.#take(caller, target);
    } finally {
      if (call === null) taken.release();
      else void call.ended.then(taken.release);
    }
  }

  /** null if the INVITE was refused, or sent elsewhere. */
  #take(caller: InboundCaller, target: InboundTarget): Promise<EndingCall | null> {
    switch (target.type) {
      case 'redirected':
        return this.#redirect(caller, target.number, target.destination);
      case 'staged':
        return this.#takeStaged(caller, target.call);
      case 'number':
        return this.#takeNumber(caller, target.number, target.agentId);
    }
  }

  /** True if the INVITE was refused. `counted`: 1 once `inProgress` counts it. */
  #refuseWithoutCapacity(invite: InboundInvite, counted: 0 | 1): boolean {
    const capacity = this.#ends.isFull ? NO_CAPACITY : this.#options.media.capacity(counted);
    const refused = capacityRefusal(capacity, this.#options.draining());
    if (refused === null) return false;
    this.#refuse(invite, refused.refusal, { 'Retry-After': String(refused.retryAfterSeconds) });
    return true;
  }

  /** null for an INVITE that was refused or challenged. Unknown sources get 404 too, so numbers cannot be probed. */
  async #admitCaller(invite: InboundInvite, target: InboundTarget): Promise<InboundCaller | null> {
    const { organizationId } = target.type === 'staged' ? target.call : target.number;
    const decision = await this.#options.policy.decide(invite, organizationId);
    switch (decision.type) {
      case 'allowed': {
        const { isSourceTrusted, trunks } = decision;
        // If several trunks share an address, the trunk of the number counts.
        const own = target.type !== 'staged' ? trunks.find(({ id }) => id === target.number.trunkId) : undefined;
        const fromNumber = callerNumber(invite, isSourceTrusted);
        const traceparent = isSourceTrusted ? storedTraceparent(invite.header('traceparent')) : null;
        return { invite, trunk: own ?? trunks[0] ?? null, organizationId, isSourceTrusted, fromNumber, traceparent };
      }
      case 'unknown_source':
        this.#refuse(invite, { cause: 'unlisted_source', status: NOT_FOUND, detail: null, organizationId });
        return null;
      case 'challenged':
        if (decision.wrongCredentials) {
          const refusal = { cause: 'wrong_credentials', status: UNAUTHORIZED, detail: null, organizationId } as const;
          this.#options.onRefused(invite, refusal);
        }
        return null;
    }
  }

  async #redirect(caller: InboundCaller, number: PhoneNumberRecord, destination: string): Promise<EndingCall | null> {
    const { invite, trunk } = caller;
    const ruling = this.#options.destinations(destination, NO_TRUNKS);
    if (!ruling.ok) {
      this.#refuseCaller(caller, 'redirect_refused', NOT_FOUND, ruling.reason);
    } else if (number.redirectMode === 'sip_302') {
      const end = await this.#options.redirected.storeSentAway({ ...caller, number, destination: ruling.destination });
      invite.refuse(302, undefined, { Contact: redirectContact(ruling.destination, trunk) });
      this.#ends.add(end);
    } else return this.#bridge(caller, number, ruling.destination);
    return null;
  }

  async #bridge(caller: InboundCaller, number: PhoneNumberRecord, destination: string): Promise<EndingCall | null> {
    const { redirected } = this.#options;
    const acceptable = this.#acceptable(caller);
    if (!acceptable.ok) this.#refuseCaller(caller, 'unacceptable_offer', acceptable.status, acceptable.reason);
    else if (await redirected.isCircle(number)) {
      this.#refuseCaller(caller, 'redirect_circle', LOOP_DETECTED);
    } else {
      const callId = randomUUID();
      try {
        return await redirected.begin(callId, { ...caller, number, destination, codec: acceptable.codec });
      } catch (error) {
        this.#fail(caller, callId, error);
        throw error;
      }
    }
    return null;
  }

  /** The caller gets its response first: the database may be unreachable. Without a row, nothing changes. */
  #fail(caller: InboundCaller, callId: string, error: unknown, own: Pick<CallEnd, 'from' | 'ofSipCallId'> = {}): void {
    const { calls, clock, onStored } = this.#options;
    const end = { status: 'failed', endReason: startFailureReason(error), ...own, atMs: clock.wallMs() } as const;
    this.#refuseCaller(caller, 'internal_error', SERVER_ERROR);
    this.#ends.add(async () => {
      await calls.finish(callId, end);
      onStored(callId);
    });
  }

  #refuseCaller(
    { invite, organizationId }: InboundCaller,
    cause: RefusalCause,
    status: number,
    detail: string | null = null,
  ): void {
    this.#refuse(invite, { cause, status, detail, organizationId });
  }

  #refuse(invite: InboundInvite, refusal: Refusal, headers?: Readonly<Record<string, string>>): void {
    if (!this.#refused.has(invite)) this.#options.onRefused(invite, refusal);
    this.#refused.add(invite);
    invite.refuse(refusal.status, undefined, headers);
  }

  async #takeStaged(caller: InboundCaller, staged: CallRecord): Promise<EndingCall | null> {
    const { invite } = caller;
    const { calls, cache, staging, clock } = this.#options;
    this.#options.onLeg(staged.id, 'caller', invite.sipCallId);
    if (staged.status === 'initiated') {
      invite.ring();
      if (!(await staging.settled(staged))) {
        this.#refuseCaller(caller, 'staged_call_not_ready', TEMPORARILY_UNAVAILABLE);
        return null;
      }
    }
    const agent = await cache.loadOf(staged);
    return this.#begin(caller, staged.id, { agent, untrustedVariables: [] }, async () => {
      const claim = claimedDialog(invite, staged.traceparent ?? caller.traceparent);
      const call = await calls.claimStaged(staged.id, clock.wallMs(), claim);
      if (call === null) this.#refuseCaller(caller, 'staged_call_taken', NOT_FOUND);
      else staging.forget(staged.id);
      return call;
    });
  }

  async #takeNumber(caller: InboundCaller, number: PhoneNumberRecord, agentId: string): Promise<EndingCall | null> {
    // An INVITE that is refused anyway asks no webhook.
    const acceptable = this.#acceptable(caller);
    if (!acceptable.ok) {
      this.#refuseCaller(caller, 'unacceptable_offer', acceptable.status, acceptable.reason);
      return null;
    }
    const callId = randomUUID();
    const decided = await this.#options.numberCalls.decide({ ...caller, number, agentId, callId });
    switch (decided.type) {
      case 'unknown_agent':
        this.#refuseCaller(caller, 'unknown_agent', NOT_FOUND);
        return null;
      case 'refused':
        this.#refuseCaller(caller, 'lookup_refused', decided.sipStatus);
        return null;
      case 'accepted':
        // A drain may have begun during the lookup.
        if (this.#refuseWithoutCapacity(caller.invite, 1)) return null;
        return this.#begin(caller, callId, decided, () => this.#createRinging(caller, callId, number, decided));
    }
  }

  async #createRinging(
    { fromNumber, invite, traceparent }: InboundCaller,
    callId: string,
    number: PhoneNumberRecord,
    { agent, agentOverrides, dynamicVariables }: AcceptedCall,
  ): Promise<CallRecord | null> {
    const { calls, clock } = this.#options;
    await calls.createCall({
      id: callId,
      organizationId: number.organizationId,
      agentId: agent.agentId,
      agentVersion: agent.agentVersion,
      type: 'phone_call',
      direction: 'inbound',
      status: 'created',
      fromNumber,
      toNumber: number.number,
      dynamicVariables,
      agentOverrides,
      traceparent,
      idempotent: null,
      nowMs: clock.wallMs(),
    });
    this.#options.onLeg(callId, 'caller', invite.sipCallId);
    const atMs = clock.wallMs();
    await calls.setStatus(callId, { from: ['created'], to: 'ringing', atMs, patch: claimedDialog(invite) });
    return calls.find(callId);
  }

  /** Checks the offer, claims, opens media, sends 180 and starts the call. An INVITE that loses the claim has opened nothing. */
  async #begin(
    caller: InboundCaller,
    callId: string,
    setup: CallSetup,
    claim: () => Promise<CallRecord | null>,
  ): Promise<EndingCall | null> {
    const { invite } = caller;
    const acceptable = this.#acceptable(caller);
    if (!acceptable.ok) {
      this.#refuseCaller(caller, 'unacceptable_offer', acceptable.status, acceptable.reason);
      return null;
    }
    try {
      const call = await claim();
      if (call === null) return null;
      invite.ring();
      return await this.#launch(caller, call, setup, acceptable.codec);
    } catch (error) {
      // The row knows whether the claim was stored, and for which INVITE.
      const own = { from: ['created', 'ringing'], ofSipCallId: invite.sipCallId } as const;
      this.#fail(caller, callId, error, own);
      throw error;
    }
  }

  /** Whether the offer can be answered. Our own offer always holds codecs that we speak. */
  #acceptable({ invite: { offer, source }, trunk }: InboundCaller): Acceptance {
    if (offer === null) return { ok: true, codec: trunk?.codecs[0] ?? OFFERED_FIRST };
    const result = this.#options.sessions.tryAnswer(offer, source.address, trunk);
    return result.ok ? { ok: true, codec: result.session.codec } : result;
  }

  async #launch(
    { invite, trunk, isSourceTrusted }: InboundCaller,
    call: CallRecord,
    { agent, untrustedVariables }: CallSetup,
    codec: RtpMediaSessionOptions['codec'],
  ): Promise<EndingCall> {
    const { liveCalls } = this.#options;
    const media = await liveCalls.openMedia(call.id, agent, codec);
    try {
      const session = this.#options.sessions.open(media, invite.source.address, trunk);
      const own = { callId: call.id, organizationId: call.organizationId, ownNumber: call.toNumber ?? invite.dialled };
      const bridging = this.#options.bridge(own, media);
      const leg: Launch['leg'] = (dialog) =>
        createInboundLeg({ invite, isSourceTrusted, session, bridging, ...dialog });
      return await liveCalls.launch({
        call,
        agent,
        untrustedVariables,
        isSourceUntrusted: !isSourceTrusted,
        leg,
        route: { leg: 'caller', trunk_id: trunk?.id ?? null },
      });
    } catch (error) {
      media.close();
      throw error;
    }
  }
}
