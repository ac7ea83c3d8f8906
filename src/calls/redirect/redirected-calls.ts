import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/time/clock.ts';
import type { DialogRecovery } from '../../../sip/dialog/dialog-recovery.ts';
import type { MediaService, RtpMediaSessionOptions } from '../../../sip/media/media-service.ts';
import type { InboundInvite, SipDialog } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import type { LegName } from '../../observability/traces/sip-traces.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { JournalRepository } from '../../storage/calls/journal-repository.ts';
import type { PhoneNumberRecord, PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';
import { SecondLeg, type SecondLegEvent, type SecondLegOptions } from '../bridge/second-leg.ts';
import { CallWriter } from '../journal/call-writer.ts';
import { storeNewCall } from '../journal/store-new-call.ts';
import { createInboundLeg } from '../legs/inbound-leg.ts';
import { LegSession } from '../legs/leg-session.ts';
import type { SdpNegotiation } from '../legs/sdp-negotiation.ts';
import type { CallLauncher } from '../live/call-launcher.ts';
import { logCallStart } from '../live/call-log-lines.ts';
import type { PriceTable } from '../usage/price-table.ts';
import { RedirectedCall } from './redirected-call.ts';

/** Without audio for this long, a caller who is not on hold is lost. */
const MEDIA_TIMEOUT_MS = 30_000;
/** Consecutive redirects between our own numbers; more count as a circle. */
const CHAIN_MAX = 8;

export interface RedirectedCallsOptions {
  readonly calls: CallRepository;
  readonly journal: JournalRepository;
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly launcher: Pick<CallLauncher, 'adopt'>;
  readonly media: Pick<MediaService, 'open'>;
  /** The SDP side of a caller on this RTP port, on the terms of its trunk. */
  readonly negotiation: (port: number, peer: string, trunk: SipTrunkRecord | null) => SdpNegotiation;
  readonly secondLeg: SecondLegOptions;
  readonly ringTimeoutMs: number;
  readonly clock: Clock;
  readonly prices: PriceTable;
  /** The log of one call. */
  readonly log: (callId: string) => Log;
  /** The dialog with this Call-ID is a leg of the call, whether or not the call succeeds. */
  readonly onLeg: (callId: string, leg: LegName, sipCallId: string) => void;
  /** Events may be due for delivery. */
  readonly onStored: () => void;
  /** The SIP server died under the caller's dialog: its peer still waits for a BYE. */
  readonly onLost: (recovery: DialogRecovery) => void;
}

/** An INVITE to a number whose calls are bridged elsewhere. */
export interface RedirectRequest {
  readonly invite: InboundInvite;
  readonly trunk: SipTrunkRecord | null;
  /** See `InboundLegOptions`. */
  readonly isSourceVerified: boolean;
  readonly number: PhoneNumberRecord;
  /** The destination policy has passed it. */
  readonly destination: string;
  /** E.164; null for an anonymous caller. */
  readonly fromNumber: string | null;
  /** The codec that the caller's offer leads to. */
  readonly codec: RtpMediaSessionOptions['codec'];
}

/** Calls of numbers with `redirect_mode` `bridge`. */
export class RedirectedCalls {
  readonly #options: RedirectedCallsOptions;

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

  /** Stores the call, and dials. Rejects without a free port or where storing fails: then the caller of this method refuses the INVITE. */
  async begin(request: RedirectRequest): Promise<void> {
    const { calls, clock, launcher } = this.#options;
    const { number } = request;
    const callId = randomUUID();
    const media = await this.#options.media.open({ callId, codec: request.codec, mediaTimeoutMs: MEDIA_TIMEOUT_MS });
    try {
      const call = {
        id: callId,
        organizationId: number.organizationId,
        agentId: null,
        agentVersion: 0,
        type: 'phone_call',
        direction: 'inbound',
        status: 'created',
        fromNumber: request.fromNumber,
        toNumber: number.number,
        dynamicVariables: {},
        idempotent: null,
        nowMs: clock.wallMs(),
      } as const;
      await storeNewCall({ callId, store: () => calls.createCall(call) }, this.#options);
      this.#options.onLeg(callId, 'caller', request.invite.sipCallId);
      const { log } = this.#options;
      logCallStart(log(callId), call, { leg: 'caller', trunk_id: request.trunk?.id ?? null });
      launcher.adopt(this.#call(callId, request, media));
    } catch (error) {
      media.close();
      throw error;
    }
  }

  #call(callId: string, request: RedirectRequest, media: Awaited<ReturnType<MediaService['open']>>): RedirectedCall {
    const { calls, clock, journal, log, negotiation, onLost, onStored, prices, ringTimeoutMs } = this.#options;
    const { destination, invite, isSourceVerified, number, trunk } = request;
    const writer = new CallWriter({
      callId,
      calls,
      journal,
      startedWallMs: clock.wallMs(),
      onStored,
      onLost: (what, error) => log(callId).error({ err: error, write: what }, 'call write failed'),
    });
    const control = createInboundLeg({
      invite,
      isSourceVerified,
      session: new LegSession(negotiation(media.port, invite.source.address, trunk), media, invite.source.address),
      bridging: null,
      onDialog: (dialog) => writer.update({ sipCallId: dialog.sipCallId, dialog: dialog.recovery() }),
      onBridgedDialog: () => {},
      onLost,
    });
    const onDialog = (dialog: Pick<SipDialog, 'recovery'>) => writer.update({ bridgedDialog: dialog.recovery() });
    const call = { callId, organizationId: number.organizationId, ownNumber: number.number };
    const second = { call, media, destination, headers: {}, ringTimeoutMs, onDialog };
    const dial = (emit: (event: SecondLegEvent) => void) => new SecondLeg(this.#options.secondLeg, second, emit);
    return new RedirectedCall({ callId, invite, control, media, dial, writer, clock, prices, log: log(callId) });
  }
}
