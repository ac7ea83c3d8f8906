import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan } from '../../../engine/timeline/call-span.ts';
import type { TimelineInput } from '../../../engine/timeline/timeline-input.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { VariableRecord } from '../../storage/calls/journal-repository.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { CallEventRecord } from '../../storage/events/call-event-repository.ts';
import type { WebhookEventType } from '../../storage/events/webhook-event.ts';
import type { Repositories } from '../../storage/repositories.ts';

/** Events of a call that have a place on its timeline. */
const EVENT_TYPES: readonly WebhookEventType[] = [
  'event_state_changed',
  'event_variable_value_updated',
  'event_transfer_started',
  'event_transfer_completed',
  'event_transfer_failed',
];

/** The stored data of a call's timeline. Times are µs since 1970, those of events and variables ms. */
export interface StoredTimeline {
  readonly call: CallRecord;
  readonly transcript: readonly TranscriptRecord[];
  readonly turns: readonly TurnRecord[];
  readonly spans: readonly CallSpan[];
  readonly events: readonly CallEventRecord[];
  readonly variables: readonly VariableRecord[];
}

/** Rejects with a `DatabaseError`. */
export async function readStoredTimeline(
  { callEvents, journal }: Pick<Repositories, 'callEvents' | 'journal'>,
  call: CallRecord,
): Promise<StoredTimeline> {
  const [transcript, turns, spans, events, variables] = await Promise.all([
    journal.transcript(call.id),
    journal.turns(call.id),
    journal.spans(call.id),
    call.deletedMs === null ? callEvents.ofTypes(call.id, EVENT_TYPES) : [],
    journal.variables(call.id),
  ]);
  return { call, transcript, turns, spans, events, variables };
}

/** For `silencesOf`. Null: the call has no spans, so nothing explains its silences. */
export function silenceInput({ call, spans, transcript, turns }: StoredTimeline): TimelineInput | null {
  if (spans.length === 0) return null;
  return { spans, turns, transcript, endedUs: call.endMs === null ? null : call.endMs * 1_000 };
}

/** 0 on the time axis of a call, µs since 1970: the answer, or the creation of a call that was not answered. */
export function axisStartUs({ createdMs, startMs }: CallRecord): number {
  return (startMs ?? createdMs) * 1_000;
}
