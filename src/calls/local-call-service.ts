import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.ts';
import { withTimeout } from '../../base/time/with-timeout.ts';
import type { LiveRequest } from '../../engine/core/event.ts';
import type { MediaService } from '../../sip/media/media-service.ts';
import type { PostOutcome, ThisNode } from '../cluster/node.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import type { CallRepository } from '../storage/calls/call-repository.ts';
import { isFinal } from '../storage/schema/call-status.ts';
import {
  CallRefusedError,
  type CallRequest,
  type CallService,
  type PhoneCallRequest,
  type StagedCall,
  type StageRequest,
  type StartedWebCall,
} from './api-requests/call-service.ts';
import { Drain } from './drain.ts';
import { storeNewCall } from './journal/store-new-call.ts';
import type { LiveCalls } from './live/live-calls.ts';
import type { OutboundCalls } from './outbound/outbound-calls.ts';
import type { StagedCalls } from './staging/staged-calls.ts';
import type { WebCalls } from './web/web-calls.ts';

/** Time for a terminated call to say goodbye to its peer. */
export const END_WAIT_MS = 10_000;

export interface LocalCallServiceOptions {
  readonly calls: Pick<CallRepository, 'createCall' | 'find' | 'finish'>;
  readonly staging: Pick<StagedCalls, 'begin' | 'close' | 'forget'>;
  readonly outbound: Pick<OutboundCalls, 'start'>;
  readonly web: Pick<WebCalls, 'start'>;
  readonly liveCalls: Pick<LiveCalls, 'byId' | 'endAll'>;
  readonly media: Pick<MediaService, 'capacity'>;
  readonly clock: Clock;
  /** Resolves once no INVITE and no browser connection is on its way to a live call. */
  readonly settled: () => Promise<void>;
  readonly node: Pick<ThisNode, 'endElsewhere' | 'postElsewhere' | 'holdsLease'>;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
}

/** Carries out requests of the API on calls of this node. */
export class LocalCallService implements CallService {
  readonly #options: LocalCallServiceOptions;
  readonly #drain: Drain;
  #drained: Promise<void> | null = null;

  constructor(options: LocalCallServiceOptions) {
    this.#options = options;
    this.#drain = new Drain(options.clock);
  }

  /** Whether new calls are refused: the process stops, or others may close the calls of this node. */
  get refusesCalls(): boolean {
    return this.#drain.refuses || !this.#options.node.holdsLease();
  }

  /** Whether peers are to send their calls elsewhere: calls are refused, or will be soon. */
  get isDraining(): boolean {
    return this.#drain.hasBegun || !this.#options.node.holdsLease();
  }

  /** The answer to a readiness check. */
  isReady(): boolean {
    return this.#drain.isReady() && this.#options.node.holdsLease();
  }

  async stage(request: StageRequest): Promise<StagedCall> {
    this.#checkCapacity();
    const { calls, clock, staging, onStored } = this.#options;
    const id = randomUUID();
    const call = {
      id,
      organizationId: request.organizationId,
      agentId: request.agentId,
      agentVersion: request.agentVersion,
      type: 'phone_call',
      direction: 'inbound',
      status: 'initiated',
      fromNumber: request.fromNumber,
      toNumber: request.toNumber,
      dynamicVariables: request.dynamicVariables,
      agentOverrides: request.agentOverrides,
      traceparent: request.traceparent ?? null,
      idempotent: request.idempotent,
      nowMs: clock.wallMs(),
    } as const;
    await storeNewCall({ callId: id, store: () => calls.createCall(call) }, this.#options);
    onStored(id);
    return { callId: id, ready: staging.begin(call) };
  }

  async startPhoneCall(request: PhoneCallRequest): Promise<{ readonly callId: string }> {
    this.#checkCapacity();
    const started = await this.#options.outbound.start(request);
    this.#options.onStored(started.callId);
    return started;
  }

  async startWebCall(request: CallRequest): Promise<StartedWebCall> {
    this.#checkCapacity();
    const started = await this.#options.web.start(request);
    this.#options.onStored(started.callId);
    return started;
  }

  async terminate(callId: string): Promise<boolean> {
    const { calls, clock, node, settled, staging, onStored } = this.#options;
    if (await this.#terminateLive(callId)) return true;
    const call = await calls.find(callId);
    if (call === null || isFinal(call.status)) return true;
    const elsewhere = await node.endElsewhere(call);
    if (elsewhere !== 'not_elsewhere') return elsewhere === 'ended';
    // An INVITE has claimed it, and its call is about to start: ending the live call reports what its peer saw.
    if (call.status === 'ringing') await withTimeout(settled(), END_WAIT_MS, () => undefined);
    if (await this.#terminateLive(callId)) return true;
    const end = { status: 'canceled', endReason: 'canceled', atMs: clock.wallMs() } as const;
    await calls.finish(callId, { ...end, from: ['created', 'initiated', 'staged', 'ringing'] });
    staging.forget(callId);
    onStored(callId);
    if (await this.#terminateLive(callId)) return true;
    // A call in progress that is on no node: its node has lost its lease, and another one closes it soon.
    const left = await calls.find(callId);
    return left === null || isFinal(left.status);
  }

  async post(call: CallRecord, request: LiveRequest): Promise<PostOutcome> {
    return this.postLive(call.id, request) ? 'posted' : this.#options.node.postElsewhere(call, request);
  }

  isLive(callId: string): boolean {
    return this.#options.liveCalls.byId.has(callId);
  }

  /** False if the call is not on this node. */
  postLive(callId: string, request: LiveRequest): boolean {
    const live = this.#options.liveCalls.byId.get(callId);
    live?.post(request);
    return live !== undefined;
  }

  /** False if the call is not on this node. Its engine ends it, even if the end takes longer than the wait. */
  async #terminateLive(callId: string): Promise<boolean> {
    const live = this.#options.liveCalls.byId.get(callId);
    if (live === undefined) return false;
    live.post({ type: 'call.terminate', reason: 'terminated' });
    await withTimeout(live.ended, END_WAIT_MS, () => undefined);
    return true;
  }

  /** Is no longer ready, then takes no new call, lets calls in progress finish within `graceMs`, and ends the others. Idempotent. */
  drain(graceMs: number): Promise<void> {
    this.#drained ??= this.#drainOnce(graceMs);
    return this.#drained;
  }

  async #drainOnce(graceMs: number): Promise<void> {
    const leftMs = await this.#drain.begin(graceMs);
    this.#options.staging.close();
    await withTimeout(this.#allEnded(), leftMs, () => undefined);
    this.#options.liveCalls.endAll('shutdown');
    await withTimeout(this.#allEnded(), END_WAIT_MS, () => undefined);
  }

  async #allEnded(): Promise<void> {
    await this.#options.settled();
    await Promise.all([...this.#options.liveCalls.byId.values()].map((call) => call.ended));
  }

  #checkCapacity(): void {
    if (this.#drain.refuses)
      throw new CallRefusedError('draining', 'this node accepts no new calls: it is shutting down');
    if (!this.#options.node.holdsLease())
      throw new CallRefusedError('draining', 'this node accepts no new calls: it has lost the database');
    if (!this.#options.media.capacity().accepted) {
      throw new CallRefusedError('overloaded', 'this node has no capacity for further calls');
    }
  }
}
