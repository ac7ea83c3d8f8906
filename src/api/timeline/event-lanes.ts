import type { CallEventRecord } from '../../storage/events/call-event-repository.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';
import type { Axis } from './axis.ts';
import type { StoredTimeline } from './stored-timeline.ts';

export interface TimelineTransfer {
  start_ms: number;
  end_ms: number | null;
  destination: string;
  mode: 'refer' | 'bridge';
  status: 'started' | 'completed' | 'failed';
  reason: string | null;
}

/** The lanes that come from the stored events of a call: `variable_values` has the latest values only. */
export function eventLanes(stored: StoredTimeline, axis: Axis) {
  return { states: statesOf(stored, axis), variables: variablesOf(stored, axis), transfers: transfersOf(stored, axis) };
}

function statesOf({ call, events, transcript }: StoredTimeline, axis: Axis) {
  const transitions = transcript.filter(({ role }) => role === 'state_transition');
  const entered = events.filter(({ type }) => type === 'event_state_changed');
  return entered.map((event, index) => {
    const next = entered[index + 1];
    const from = textOf(event.data, 'from');
    // Each change but the first has its entry.
    const entry = transitions[index - (entered.length - transitions.length)];
    const endMs = next?.createdMs ?? call.endMs;
    return {
      start_ms: startOf(event, axis),
      end_ms: endMs === null ? null : axis(endMs * 1_000),
      name: textOf(event.data, 'to') ?? '',
      from,
      condition: from === null || entry === undefined ? null : textOf(entry.fields, 'condition'),
    };
  });
}

function variablesOf({ call, events, variables }: StoredTimeline, axis: Axis) {
  const changes = events
    .filter(({ type }) => type === 'event_variable_value_updated')
    .map((event) => ({
      start_ms: startOf(event, axis),
      name: textOf(event.data, 'name') ?? '',
      type: textOf(event.data, 'type') ?? '',
      value: event.data.value ?? null,
    }));
  const changed = new Set(changes.map(({ name }) => name));
  const startMs = Math.min(0, ...changes.map(({ start_ms }) => start_ms));
  // A value from before the conversation has no event.
  const initial = variables.flatMap(({ name, type, updatedMs, value }) => {
    if (!changed.has(name)) return [{ start_ms: axis(updatedMs * 1_000), name, type, value }];
    const given = call.dynamicVariables[name];
    return given === undefined ? [] : [{ start_ms: startMs, name, type, value: given }];
  });
  return [...initial, ...changes].toSorted((a, b) => a.start_ms - b.start_ms);
}

function transfersOf({ events }: StoredTimeline, axis: Axis): TimelineTransfer[] {
  const transfers: TimelineTransfer[] = [];
  for (const event of events) {
    const { data, type } = event;
    const atMs = startOf(event, axis);
    if (type === 'event_transfer_started') {
      const destination = textOf(data, 'destination') ?? '';
      const mode = data.mode === 'bridge' ? 'bridge' : 'refer';
      transfers.push({ start_ms: atMs, end_ms: null, destination, mode, status: 'started', reason: null });
    }
    const open = transfers.at(-1);
    // A transfer that the end of the call prevented has no start.
    if (open?.status !== 'started' || (type !== 'event_transfer_completed' && type !== 'event_transfer_failed'))
      continue;
    open.end_ms = atMs;
    open.status = type === 'event_transfer_completed' ? 'completed' : 'failed';
    open.reason = textOf(data, 'reason');
  }
  return transfers;
}

function startOf({ createdMs }: CallEventRecord, axis: Axis): number {
  return axis(createdMs * 1_000);
}

function textOf(data: JsonObject, name: string): string | null {
  const value = data[name];
  return typeof value === 'string' ? value : null;
}
