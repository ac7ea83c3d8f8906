import type { Clock } from '../../../base/time/clock.ts';
import type { CallControl, CallControlEvent, LegEndCause } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { MediaQuality } from '../../../sip/media/quality/media-quality.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import { durationSeconds } from '../../storage/calls/call-repository.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';
import {
  BAD_GATEWAY,
  BUSY_HERE,
  SERVICE_UNAVAILABLE,
  TEMPORARILY_UNAVAILABLE,
} from '../../telephony/refusals/refusal-status.ts';
import type { SecondLeg, SecondLegEnd, SecondLegEvent } from '../bridge/second-leg.ts';
import type { CallWriter } from '../journal/call-writer.ts';
import { finalStatus } from '../journal/final-status.ts';
import { logCallEnd } from '../live/call-log-lines.ts';
import type { HostedRtpMedia } from '../live/hosted-media.ts';
import type { LiveCall } from '../live/live-call.ts';
import { recordingPathOf } from '../recording/recording-path.ts';
import { callCost } from '../usage/call-cost.ts';
import { mediaResponse } from '../usage/metrics-response.ts';
import type { PriceTable } from '../usage/price-table.ts';

/** Bound of a call without an agent, the same as with an agent: a call that is never hung up must not hold ports forever. */
const DURATION_MS_MAX = 14_400_000;

export interface RedirectedCallOptions {
  readonly callId: string;
  readonly invite: Pick<InboundInvite, 'ring' | 'refuse'>;
  /** The caller's leg. */
  readonly control: CallControl;
  /** The media of the caller's leg. */
  readonly media: HostedRtpMedia;
  /** Dials the destination of the redirect. */
  readonly dial: (emit: (event: SecondLegEvent) => void) => SecondLeg;
  readonly writer: CallWriter;
  readonly isRecorded: boolean;
  /** The event for the finished recording. */
  readonly recordingReady: (recording: RecordingOutcome) => WebhookEventDraft;
  readonly clock: Clock;
  readonly prices: PriceTable;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

interface RedirectedCallEnd {
  readonly reason: EndReason;
  readonly detail: string | undefined;
  /** Ms since 1970. */
  readonly endedMs: number;
  readonly quality: MediaQuality | null;
}

/**
 * A call without an agent. The caller hears ringing while the destination rings, is answered when the destination answers, and talks to it
 * until one side hangs up.
 */
export class RedirectedCall implements LiveCall {
  readonly callId: string;
  readonly rtp: HostedRtpMedia;
  readonly ended: Promise<EndReason>;
  readonly #options: RedirectedCallOptions;
  readonly #second: SecondLeg;
  readonly #resolve: (reason: EndReason) => void;
  #joinedMs: number | null = null;
  #over = false;
  #durationTimer: NodeJS.Timeout | null = null;

  constructor(options: RedirectedCallOptions) {
    const { callId, control, media } = options;
    this.callId = callId;
    this.rtp = media;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<EndReason>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#second = options.dial((event) => this.#onSecondLeg(event));
    media.onLost((cause) => this.#end(cause === 'timeout' ? 'no_media' : 'media_error'));
    control.onEvent((event) => this.#onCallerLeg(event));
  }

  /** Only its end can be requested: there is no agent that could speak. */
  post(event: Parameters<LiveCall['post']>[0]): void {
    if (event.type === 'call.terminate') this.#end(event.reason);
  }

  #onSecondLeg(event: SecondLegEvent): void {
    const { clock, control, invite, writer } = this.#options;
    switch (event.type) {
      case 'ringing':
        invite.ring();
        writer.setStatus({ to: 'ringing', from: ['created'], atMs: clock.wallMs() });
        break;
      case 'answered':
        control.answer();
        break;
      case 'ended':
        // A destination that hangs up before the caller is connected was not reached.
        if (this.#joinedMs === null && event.cause === 'remote_bye') this.#end('no_answer', event.detail);
        else {
          if (this.#joinedMs === null) invite.refuse(refusalOf(event.cause, event.sipStatus));
          this.#end(this.#reasonOf(event.cause), event.detail);
        }
        break;
    }
  }

  #onCallerLeg(event: CallControlEvent): void {
    if (event.type === 'accepted' || event.type === 'answered') this.#join();
    else if (event.type === 'ended')
      this.#end(this.#reasonOf(event.cause === 'remote_cancel' ? 'canceled' : event.cause), event.detail);
  }

  #join(): void {
    if (this.#over || this.#joinedMs !== null) return;
    const atMs = this.#options.clock.wallMs();
    this.#joinedMs = atMs;
    this.#second.join();
    this.#durationTimer = setTimeout(() => this.#end('max_duration'), DURATION_MS_MAX);
    const { callId, isRecorded } = this.#options;
    const patch = { startMs: atMs, ...(isRecorded && { recordingPath: recordingPathOf(callId) }) };
    this.#options.writer.setStatus({ to: 'in_progress', from: ['created', 'ringing'], atMs, patch });
  }

  #reasonOf(cause: SecondLegEnd | LegEndCause): EndReason {
    if (this.#joinedMs !== null && (cause === 'remote_bye' || cause === 'local_bye')) return 'transferred';
    switch (cause) {
      case 'remote_bye':
        return 'caller_hangup';
      case 'busy':
      case 'no_answer':
      case 'rejected':
      case 'redirected':
      case 'canceled':
      case 'no_media':
        return cause;
      case 'not_dialled':
      case 'no_room':
      case 'local_bye':
      case 'remote_cancel':
      case 'sip_error':
        return 'sip_error';
    }
  }

  /** The end of one leg ends the other. */
  #end(reason: EndReason, detail?: string): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#durationTimer !== null) clearTimeout(this.#durationTimer);
    const { clock, control, media } = this.#options;
    this.#second.end();
    control.hangUp();
    const { quality, recording } = media.release(this.#joinedMs !== null);
    const endedMs = clock.wallMs();
    void quality
      .then((measured) => this.#storeEnd({ reason, detail, endedMs, quality: measured }))
      .then(async () => this.#storeRecording(await recording))
      .then(() => this.#options.writer.flushed())
      .catch((error: unknown) => this.#options.log.error({ err: error, write: 'end' }, 'call write failed'))
      // A failed write must not keep the capacity of the call.
      .finally(() => this.#resolve(reason));
  }

  #storeEnd({ reason, detail, endedMs, quality }: RedirectedCallEnd): void {
    const { log, prices, writer } = this.#options;
    const joinedMs = this.#joinedMs;
    const cost = callCost(prices, [], joinedMs === null ? 0 : endedMs - joinedMs);
    const redirectDurationSeconds = joinedMs === null ? 0 : durationSeconds(joinedMs, endedMs);
    const patch = {
      metrics: { ...mediaResponse(quality), cost: { ...cost }, ...(detail !== undefined && { end_detail: detail }) },
      cost: cost.total,
      redirectDurationSeconds,
    };
    logCallEnd(log, { reason, detail, answeredMs: joinedMs, endedMs, totals: { turns: 0, cost: cost.total } });
    const end = { status: finalStatus(reason, joinedMs !== null), endReason: reason, atMs: endedMs, patch };
    writer.finish(detail === undefined ? end : { ...end, endDetail: detail });
  }

  /** A call that was never connected keeps no recording. */
  #storeRecording(recording: RecordingOutcome): void {
    const { recordingReady, writer } = this.#options;
    if (this.#joinedMs === null) return;
    if (recording.path !== null) {
      writer.recorded({ recordingComplete: recording.complete }, [recordingReady(recording)]);
    } else if (!recording.complete) writer.recorded({ recordingPath: null, recordingComplete: false });
  }
}

/** The response to the caller for a destination that was not reached (RFC 3261 §21). */
function refusalOf(cause: SecondLegEnd, sipStatus: number | null): number {
  switch (cause) {
    case 'busy':
      return BUSY_HERE;
    case 'no_answer':
      return TEMPORARILY_UNAVAILABLE;
    case 'rejected':
    case 'redirected':
      // A challenge that we cannot meet, or another contact, is of no use to the caller.
      return sipStatus !== null && sipStatus >= 403 && sipStatus !== 407 ? sipStatus : TEMPORARILY_UNAVAILABLE;
    case 'no_room':
      return SERVICE_UNAVAILABLE;
    case 'not_dialled':
    case 'no_media':
    case 'remote_bye':
    case 'local_bye':
    case 'remote_cancel':
    case 'canceled':
    case 'sip_error':
      return BAD_GATEWAY;
  }
}
