import { rm } from 'node:fs/promises';
import type { CallUsage } from '../../../adapters/decorators/usage/call-usage.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { CallParameters } from '../../../engine/core/call-parameters.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { Journal, JournalEntry } from '../../../engine/ports/journal.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';
import type { CompiledAgent } from '../../../engine/session/compile-agent.ts';
import { startCall } from '../../../engine/session/start-call.ts';
import type { TapeEntry } from '../../../engine/tape/tape.ts';
import type { MediaSession } from '../../../sip/media/media-plane.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import { durationSeconds } from '../../storage/calls/call-repository.ts';
import type { WebhookEventDraft } from '../../storage/events/webhook-event.ts';
import type { OpenStatus } from '../../storage/schema/call-status.ts';
import type { CallWriter } from '../journal/call-writer.ts';
import { finalStatus } from '../journal/final-status.ts';
import type { TapeWriter } from '../tape/tape-writer.ts';
import { tapedMedia } from '../tape/taped-ports.ts';
import { callCost } from '../usage/call-cost.ts';
import { metricsResponse } from '../usage/call-metrics.ts';
import type { PriceTable } from '../usage/price-table.ts';
import { usageResponse } from '../usage/usage-response.ts';

export interface LiveCallOptions {
  readonly compiled: CompiledAgent;
  readonly facts: CallParameters;
  readonly control: CallControl;
  readonly media: MediaSession;
  readonly ports: Pick<CallPorts, 'transcriber' | 'model' | 'voice' | 'tools' | 'knowledge' | 'log'>;
  readonly clock: Clock;
  readonly writer: CallWriter;
  /** Counted by the ports. */
  readonly usage: Pick<CallUsage, 'entries'>;
  readonly prices: PriceTable;
  /** Where the recording stands, below the data directory; null for an agent that does not record. */
  readonly recordingPath: string | null;
  /** The event that tells of a recording that is on the disk. */
  readonly recordingReady: (recording: RecordingOutcome) => WebhookEventDraft;
  readonly tape: TapeWriter | null;
  /** Told each journal entry as it is written; it must not throw. */
  readonly observe?: (entry: JournalEntry) => void;
}

export interface LiveCall {
  readonly callId: string;
  post(event: CallEvent): void;
  readonly media: MediaSession;
  /** Resolves once the call has ended and all that is kept of it is on the disk; it never rejects. */
  readonly ended: Promise<EndReason>;
}

/** The statuses that the leg's progress leads to, and those they may follow. */
const PROGRESS: Partial<Record<CallControlEvent['type'], { to: OpenStatus; from: readonly OpenStatus[] }>> = {
  ringing: { to: 'ringing', from: ['created', 'initiated'] },
  answered: { to: 'in_progress', from: ['created', 'initiated', 'ringing'] },
};

/** The final response by which a callee, or a network on the way, ended a call before it stood. */
function refusalOf({ cause, sipStatus }: Extract<CallControlEvent, { type: 'ended' }>): string | undefined {
  const isOfPeer = cause === 'busy' || cause === 'no_answer' || cause === 'rejected' || cause === 'sip_error';
  return isOfPeer && sipStatus !== undefined ? `SIP ${sipStatus}` : undefined;
}

/** Runs one call: the engine between the leg, the media and the providers, and what is kept of it. */
export function startLiveCall(options: LiveCallOptions): LiveCall {
  const { facts, media, clock, writer, tape, observe } = options;
  let answered = false;
  let answeredMs = 0;
  let bridgedMs: number | null = null;
  let refusedBy: string | undefined;

  const follow = (event: CallControlEvent) => {
    if (event.type === 'ended') refusedBy = refusalOf(event);
    if (event.type === 'transfer_succeeded' && event.bridged === true) bridgedMs = clock.wallMs();
    const progress = PROGRESS[event.type];
    if (progress === undefined) return;
    const atMs = clock.wallMs();
    if (event.type === 'answered') {
      answered = true;
      answeredMs = atMs;
    }
    const recording = options.recordingPath === null ? {} : { recordingPath: options.recordingPath };
    writer.setStatus({
      ...progress,
      atMs,
      ...(event.type === 'answered' && { patch: { startMs: atMs, ...recording } }),
    });
  };

  writer.onEnded((entry) => {
    const { reason, metrics, detail = refusedBy } = entry satisfies Extract<JournalEntry, { type: 'ended' }>;
    const atMs = clock.wallMs();
    const redirectDurationSeconds = bridgedMs === null ? 0 : durationSeconds(bridgedMs, atMs);
    const { entries } = options.usage;
    const cost = callCost(options.prices, entries, answered ? atMs - answeredMs : 0);
    const patch = {
      metrics: {
        ...metricsResponse(metrics, media.quality ?? null),
        providers: entries.map(usageResponse),
        cost: { ...cost },
        ...(detail !== undefined && { end_detail: detail }),
      },
      cost: cost.total,
      redirectDurationSeconds,
    };
    const end = { status: finalStatus(reason, answered), endReason: reason, atMs, patch };
    writer.finish(detail === undefined ? end : { ...end, endDetail: detail });
  });

  const handle = startCall({
    compiled: options.compiled,
    parameters: facts,
    ports: {
      ...options.ports,
      media: tape === null ? media.audio : tapedMedia(media.audio, tape),
      clock,
      journal: observe === undefined ? writer : watched(writer, observe),
      control: observed(options.control, follow),
    },
    ...(tape !== null && { tape: (entry: TapeEntry) => tape.write(entry) }),
    firstEvent: { type: 'call.offered' },
  });

  const settle = async (): Promise<EndReason> => {
    const reason = await handle.ended;
    // The engine has closed the media; the recording is whole only once the disk says so.
    const recording = await media.recorded;
    if (recording.path !== null && answered) {
      writer.update({ recordingComplete: recording.complete }, [options.recordingReady(recording)]);
    }
    // A call that was never answered holds nothing to hear.
    if (recording.path !== null && !answered) await rm(recording.path, { force: true }).catch(() => {});
    await tape?.close();
    await writer.flushed();
    return reason;
  };
  return {
    callId: facts.callId,
    post: (event) => handle.post(event),
    media,
    ended: settle(),
  };
}

/** The same journal, its entries told to `observe` too. */
function watched(journal: Journal, observe: (entry: JournalEntry) => void): Journal {
  return {
    write(entry) {
      journal.write(entry);
      observe(entry);
    },
  };
}

/** The same leg, its events told to `listener` first. */
function observed(control: CallControl, listener: (event: CallControlEvent) => void): CallControl {
  return {
    answer: () => control.answer(),
    hangUp: () => control.hangUp(),
    transfer: (order) => control.transfer(order),
    onEvent: (engine) =>
      control.onEvent((event) => {
        listener(event);
        engine(event);
      }),
  };
}
