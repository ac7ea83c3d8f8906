import type { Clock } from '../../../base/time/clock.ts';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { Log } from '../../log/log.ts';
import { durationSeconds } from '../../storage/calls/call-repository.ts';
import { type TranscriptRecord, transcriptRecord } from '../../storage/calls/transcript-record.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';
import type { OpenStatus } from '../../storage/schema/call-status.ts';
import type { CallHost, ControlCommand, HostCallEvent, KeptJournalEntry, LiveCommand } from '../host/call-host.ts';
import type { CallWriter } from '../journal/call-writer.ts';
import { finalStatus } from '../journal/final-status.ts';
import { startFailureReason } from '../journal/start-failure-reason.ts';
import type { ReadyRecording } from '../recording/recording-ready-event.ts';
import { callCost } from '../usage/call-cost.ts';
import { metricsResponse } from '../usage/metrics-response.ts';
import type { PriceTable } from '../usage/price-table.ts';
import { pricedUsage } from '../usage/usage-response.ts';
import { logCallEnd } from './call-log-lines.ts';
import type { LiveCall } from './live-call.ts';

export interface HostedCallOptions {
  readonly callId: string;
  readonly organizationId: string;
  readonly host: Pick<CallHost, 'send'>;
  readonly control: CallControl;
  readonly rtp: LiveCall['rtp'];
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly writer: CallWriter;
  readonly prices: PriceTable;
  /** The log of this call. */
  readonly log: Log;
  /** Path of the recording below the data directory; null for an agent that does not record. */
  readonly recordingPath: string | null;
  /** The event for a recording that is on the disk. */
  readonly recordingReady: (recording: ReadyRecording) => WebhookEventDraft;
  /** Wall clock at the call's engine time 0. */
  readonly startedWallMs: number;
  /** Called with each journal entry as it is written; it must not throw. */
  readonly observe: (entry: JournalEntry) => void;
}

/** The statuses that the leg's progress leads to, and those they may follow. */
const PROGRESS: Partial<Record<CallControlEvent['type'], { to: OpenStatus; from: readonly OpenStatus[] }>> = {
  ringing: { to: 'ringing', from: ['created', 'initiated'] },
  accepted: { to: 'in_progress', from: ['created', 'initiated', 'ringing'] },
  answered: { to: 'in_progress', from: ['created', 'initiated', 'ringing'] },
};

/** A call that a host runs: connects it with its leg, and stores what the host reports. */
export class HostedCall implements LiveCall {
  readonly callId: string;
  readonly rtp: LiveCall['rtp'];
  readonly ended: Promise<EndReason>;
  readonly #options: HostedCallOptions;
  readonly #resolveEnded: (reason: EndReason) => void;
  #answeredMs: number | null = null;
  #bridgedMs: number | null = null;
  #responseMs: number | null = null;
  #legEndDetail: string | undefined;
  /** By sequence. */
  readonly #pauses = new Map<number, TranscriptRecord>();

  constructor(options: HostedCallOptions) {
    this.#options = options;
    this.callId = options.callId;
    this.rtp = options.rtp;
    const { promise, resolve } = Promise.withResolvers<EndReason>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    options.control.onEvent((event) => {
      this.#storeProgress(event);
      options.host.send({ type: 'control_event', callId: this.callId, event });
    });
  }

  get organizationId(): string {
    return this.#options.organizationId;
  }

  /** Response time of the latest turn that was answered, in ms; null before the first one. */
  get responseMs(): number | null {
    return this.#responseMs;
  }

  post(command: LiveCommand): void {
    this.#options.host.send({ type: 'live_command', callId: this.callId, command });
  }

  /** The host did not start the call: its end is reported here, since the host reports none. */
  abandon(error: unknown): void {
    const { clock, log } = this.#options;
    const reason = startFailureReason(error);
    logCallEnd(log, { reason, answeredMs: this.#answeredMs, endedMs: clock.wallMs(), totals: { turns: 0, cost: 0 } });
    this.#resolveEnded(reason);
  }

  receive(event: HostCallEvent): void {
    const { log, observe, recordingReady, writer } = this.#options;
    switch (event.type) {
      case 'control':
        this.#control(event.command);
        return;
      case 'journal':
        for (const entry of event.entries) {
          writer.write(entry);
          this.#keepPause(entry);
          if (entry.type === 'turn') this.#responseMs = turnTimes(entry.record).responseMs ?? this.#responseMs;
          if (entry.type !== 'spans') observe(entry);
        }
        return;
      case 'log':
        log[event.level](event.fields, event.event);
        return;
      case 'finished':
        this.#finish(event);
        observe(event.ended);
        return;
      case 'recorded':
        if (event.recording.path === null) writer.recorded({ recordingPath: null, recordingComplete: false });
        else {
          const ready = recordingReady({ ...event.recording, transcript: [...this.#pauses.values()] });
          writer.recorded({ recordingComplete: event.recording.complete }, [ready]);
        }
        return;
      case 'closed':
        void writer.flushed().then(() => this.#resolveEnded(event.reason));
        return;
    }
  }

  #keepPause(entry: KeptJournalEntry): void {
    if (entry.type !== 'transcript' || entry.entry.role !== 'recording_pause') return;
    this.#pauses.set(entry.entry.sequence, transcriptRecord(entry.entry, this.#options.startedWallMs));
  }

  #control(command: ControlCommand): void {
    const { control } = this.#options;
    switch (command.type) {
      case 'answer':
        control.answer();
        return;
      case 'hang_up':
        control.hangUp();
        return;
      case 'transfer':
        control.transfer(command.transfer);
        return;
    }
  }

  #storeProgress(event: CallControlEvent): void {
    const { clock, recordingPath, writer } = this.#options;
    if (event.type === 'ended') this.#legEndDetail = event.detail;
    if (event.type === 'transfer_succeeded' && event.bridged === true) this.#bridgedMs = clock.wallMs();
    // The other leg may have been answered, with audio that cannot be connected.
    if (event.type === 'transfer_failed') writer.update({ bridgedDialog: null });
    // A call without a conversation keeps no recording.
    const recording = event.type === 'answered' && recordingPath !== null && { recordingPath };
    const progress = PROGRESS[event.type];
    if (progress === undefined) return;
    if (this.#answeredMs !== null) return void (recording && writer.update(recording));
    const atMs = clock.wallMs();
    const isAnswered = progress.to === 'in_progress';
    if (isAnswered) this.#answeredMs = atMs;
    writer.setStatus({ ...progress, atMs, ...(isAnswered && { patch: { startMs: atMs, ...recording } }) });
  }

  #finish({ ended, quality, usage }: Extract<HostCallEvent, { readonly type: 'finished' }>): void {
    const { clock, log, prices, writer } = this.#options;
    const { reason, metrics, detail = this.#legEndDetail } = ended;
    const atMs = clock.wallMs();
    const answeredMs = this.#answeredMs;
    const cost = callCost(prices, usage, answeredMs === null ? 0 : atMs - answeredMs);
    const patch = {
      metrics: {
        ...metricsResponse(metrics, quality),
        providers: usage.map((entry) => pricedUsage(entry, prices)),
        cost: { ...cost },
        ...(detail !== undefined && { end_detail: detail }),
      },
      cost: cost.total,
      redirectDurationSeconds: this.#bridgedMs === null ? 0 : durationSeconds(this.#bridgedMs, atMs),
    };
    const totals = { turns: metrics.turns, cost: cost.total };
    logCallEnd(log, { reason, detail, answeredMs, endedMs: atMs, totals });
    const end = { status: finalStatus(reason, answeredMs !== null), endReason: reason, atMs, patch };
    writer.finish(detail === undefined ? end : { ...end, endDetail: detail });
  }
}
