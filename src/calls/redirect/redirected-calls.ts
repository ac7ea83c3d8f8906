import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { InboundInvite, SipDialog } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import type { LegName } from '../../observability/traces/sip-traces.ts';
import type { AgentRepository } from '../../storage/agents/agent-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import type { NewCall } from '../../storage/calls/new-call.ts';
import type { PhoneNumberRecord, PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import { SecondLeg, type SecondLegEvent, type SecondLegOptions } from '../bridge/second-leg.ts';
import { CallWriter } from '../journal/call-writer.ts';
import { JournalGathering } from '../journal/journal-gathering.ts';
import { startFailureReason } from '../journal/start-failure-reason.ts';
import { storeNewCall } from '../journal/store-new-call.ts';
import type { CallerSessions } from '../legs/caller-sessions.ts';
import { createInboundLeg } from '../legs/inbound-leg.ts';
import { logCallEnd, logCallStart } from '../live/call-log-lines.ts';
import type { HostedRtpMedia } from '../live/hosted-media.ts';
import { NODE_LOST } from '../live/live-call.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { MediaReservations } from '../live/media-reservations.ts';
import { recordingReady } from '../recording/recording-ready-event.ts';
import type { PriceTable } from '../usage/price-table.ts';
import { RedirectedCall } from './redirected-call.ts';

/** Consecutive redirects between our own numbers; more count as a circle. */
const CHAIN_MAX = 8;

export interface RedirectedCallsOptions {
  readonly calls: CallRepository;
  readonly journal: JournalRepository;
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly agents: Pick<AgentRepository, 'find'>;
  readonly cache: Pick<AgentCache, 'load'>;
  readonly liveCalls: Pick<LiveCalls, 'adopt'>;
  readonly reservations: Pick<MediaReservations, 'reserveCall'>;
  readonly sessions: Pick<CallerSessions, 'open'>;
  readonly secondLeg: SecondLegOptions;
  readonly ringTimeoutMs: number;
  readonly clock: Clock;
  readonly prices: PriceTable;
  /** URL of the recording of a call. */
  readonly recordingUrl: (call: CallRecord) => string;
  /** The log of one call. */
  readonly log: (callId: string) => Log;
  /** The dialog with this Call-ID is a leg of the call, whether or not the call succeeds. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
  /** The SIP server exited under the caller's dialog: its peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
}

/** An INVITE to a redirected number. */
export interface RedirectRequest {
  readonly invite: InboundInvite;
  readonly trunk: SipTrunkRecord | null;
  readonly number: PhoneNumberRecord;
  /** The destination policy has passed it. */
  readonly destination: string;
  /** E.164; null for an anonymous caller. */
  readonly fromNumber: string | null;
  /** See `CallRecord`. */
  readonly traceparent: string | null;
}

/** An INVITE to a number whose calls are bridged. */
export interface BridgedRedirectRequest extends RedirectRequest {
  /** See `InboundLegOptions`. */
  readonly isSourceTrusted: boolean;
  /** The codec that the caller's offer leads to. */
  readonly codec: RtpMediaSessionOptions['codec'];
}

/**
 * Calls of numbers with `redirect`. No agent runs in them. The number's inbound agent, if it has one, gives them its webhook and its recording
 * setting.
 */
export class RedirectedCalls {
  readonly #options: RedirectedCallsOptions;
  readonly #gathering = new JournalGathering();

  constructor(options: RedirectedCallsOptions) {
    this.#options = options;
  }

  /** Whether a call to the number would return to one of our numbers without end, each time as a new call. */
  async isCircle(number: PhoneNumberRecord): Promise<boolean> {
    let next = number.redirectPhoneNumber;
    for (let hops = 0; hops < CHAIN_MAX; hops++) {
      const own = next === null ? null : await this.#options.numbers.findByNumber(next);
      if (!own?.redirect || own.redirectPhoneNumber === null) return false;
      next = own.redirectPhoneNumber;
    }
    return true;
  }

  /**
   * Stores the call of a caller who is sent to the destination (302). Returns the write of its end, to be retried until it succeeds.
   * Rejects if storing fails.
   */
  async storeSentAway(request: RedirectRequest): Promise<() => Promise<void>> {
    const { calls, clock, onStored } = this.#options;
    const callId = randomUUID();
    await this.#store(callId, request);
    const end = { status: 'completed', endReason: 'redirected', atMs: clock.wallMs() } as const;
    this.#logEnd(callId, end.endReason);
    return async () => {
      await calls.finish(callId, end);
      onStored(callId);
    };
  }

  /** Stores the call, and dials. Rejects without a free port or if storing fails: the caller of this method refuses the INVITE and ends the call. */
  async begin(callId: string, request: BridgedRedirectRequest): Promise<RedirectedCall> {
    const { liveCalls, reservations } = this.#options;
    const isRecorded = await this.#isRecorded(request.number);
    const media = await reservations.reserveCall(callId, {
      codec: request.codec,
      isRecorded,
      redactsAudio: false,
      hasEngine: false,
    });
    let isStored = false;
    try {
      await this.#store(callId, request);
      isStored = true;
      const call = await this.#options.calls.find(callId);
      if (call === null) throw new Error('call record missing after it was stored');
      const live = this.#call(call, { ...request, isRecorded }, media);
      liveCalls.adopt(live);
      return live;
    } catch (error) {
      if (isStored) this.#logEnd(callId, startFailureReason(error));
      media.close();
      throw error;
    }
  }

  /** Of a call that was not connected. */
  #logEnd(callId: string, reason: EndReason): void {
    const { clock, log } = this.#options;
    logCallEnd(log(callId), { reason, answeredMs: null, endedMs: clock.wallMs(), totals: { turns: 0, cost: 0 } });
  }

  async #store(callId: string, request: RedirectRequest): Promise<void> {
    const { calls, clock, log, onLeg } = this.#options;
    const { destination, fromNumber, invite, number, traceparent, trunk } = request;
    const call: NewCall = {
      id: callId,
      organizationId: number.organizationId,
      agentId: number.inboundAgentId,
      agentVersion: 0,
      type: 'phone_call',
      direction: 'inbound',
      status: 'created',
      fromNumber,
      toNumber: number.number,
      redirectTarget: destination,
      dynamicVariables: {},
      traceparent,
      idempotent: null,
      nowMs: clock.wallMs(),
    };
    await storeNewCall({ callId, store: () => calls.createCall(call) }, this.#options);
    onLeg(callId, 'caller', invite.sipCallId);
    logCallStart(log(callId), call, { leg: 'caller', trunk_id: trunk?.id ?? null });
  }

  /** By the agent's active version; false without an agent. */
  async #isRecorded({ inboundAgentId }: PhoneNumberRecord): Promise<boolean> {
    const { agents, cache } = this.#options;
    const agent = inboundAgentId === null ? null : await agents.find(inboundAgentId);
    if (agent === null) return false;
    const { recording, recording_consent, redaction } = (await cache.load(agent.id, agent.activeVersion)).configuration;
    // Such a call is not transcribed and has no agent: nothing could be redacted or announced.
    return recording && recording_consent === undefined && redaction?.audio === undefined;
  }

  #call(
    record: CallRecord,
    request: BridgedRedirectRequest & { readonly isRecorded: boolean },
    media: HostedRtpMedia,
  ): RedirectedCall {
    const { id: callId } = record;
    const { calls, clock, journal, log, onLost, onStored, prices, ringTimeoutMs, sessions } = this.#options;
    const { destination, invite, isSourceTrusted, number, trunk } = request;
    const writer = new CallWriter({
      callId,
      calls,
      journal,
      startedWallMs: clock.wallMs(),
      gathering: this.#gathering,
      onStored,
      onLost: (what, error) => log(callId).error({ err: error, write: what }, 'call write failed'),
      onRefused: () => call.post(NODE_LOST),
    });
    const control = createInboundLeg({
      invite,
      isSourceTrusted,
      session: sessions.open(media, invite.source.address, trunk),
      bridging: null,
      onDialog: (dialog) => writer.update({ sipCallId: dialog.sipCallId, dialog: dialog.recovery() }),
      onBridgedDialog: () => {},
      onRedirected: () => {},
      onLost,
    });
    const onDialog = (dialog: Pick<SipDialog, 'recovery'>) => writer.update({ bridgedDialog: dialog.recovery() });
    const onRedirected = (target: string) => writer.update({ redirectTarget: target });
    const asked = { callId, organizationId: number.organizationId, ownNumber: number.number };
    const second = { call: asked, media, destination, headers: {}, ringTimeoutMs, onDialog, onRedirected };
    const dial = (emit: (event: SecondLegEvent) => void) => new SecondLeg(this.#options.secondLeg, second, emit);
    const ready = (recording: RecordingOutcome) =>
      recordingReady({ ...recording, transcript: [] }, this.#options.recordingUrl(record), clock.wallMs());
    const call = new RedirectedCall({
      callId,
      invite,
      control,
      media,
      dial,
      writer,
      isRecorded: request.isRecorded,
      recordingReady: ready,
      clock,
      prices,
      log: log(callId),
    });
    return call;
  }
}
