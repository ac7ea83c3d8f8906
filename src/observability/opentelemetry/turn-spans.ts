import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan } from '../../../engine/timeline/call-span.ts';
import type { Attribute, TraceEvent } from './trace-span.ts';

/** How far the end of a user's voice activity and the end of the speech in the turn record may differ, in µs. */
const SAME_END_US = 500_000;

/** Name of the spans in which the user hears the agent. */
export const AGENT_SPEECH = 'agent speech';
/** How far the first packet of a reply and the begin of its speech span may differ, in µs: a packet is 20 ms. */
const HEARD_TOLERANCE_US = 40_000;

/** A turn of the call and the time at which it began: the user's speech, or the first request for it. */
export interface TurnWindow {
  readonly record: TurnRecord;
  readonly fromUs: number;
}

/** The turns in the order of their begins. */
export function turnWindows(turns: readonly TurnRecord[], spans: readonly CallSpan[]): readonly TurnWindow[] {
  const speech = spans.filter(({ type }) => type === 'voice_activity');
  const windows = turns.map((record) => {
    const { askedMs, startUs, user } = record;
    const requestsUs = askedMs.map((ms) => startUs + ms * 1000);
    const spoken = speech.findLast(({ fromUs, toUs }) => fromUs <= startUs && Math.abs(toUs - startUs) <= SAME_END_US);
    const spokenUs = user !== null && spoken !== undefined ? [spoken.fromUs] : [];
    return { record, fromUs: Math.min(startUs, ...requestsUs, ...spokenUs) };
  });
  return windows.toSorted((a, b) => a.fromUs - b.fromUs);
}

/** The turn that was in progress at this time; undefined before the first one. */
export function turnAt(windows: readonly TurnWindow[], atUs: number): TurnWindow | undefined {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((windows[middle]?.fromUs ?? 0) <= atUs) low = middle + 1;
    else high = middle;
  }
  return windows[low - 1];
}

/**
 * The turn that a span belongs to: of agent speech the one that it answers, also if the user has begun the next one by then; of all others
 * the one in progress when it begins.
 */
export function turnOf(
  windows: readonly TurnWindow[],
  { fromUs, name }: { readonly fromUs: number; readonly name: string },
): TurnWindow | undefined {
  const inProgress = turnAt(windows, fromUs);
  if (name !== AGENT_SPEECH || inProgress === undefined || inProgress.record.heardMs === null) return inProgress;
  const { heardMs, startUs } = inProgress.record;
  return fromUs >= startUs + heardMs * 1000 - HEARD_TOLERANCE_US
    ? inProgress
    : windows[windows.indexOf(inProgress) - 1];
}

export function turnAttributes(record: TurnRecord): Readonly<Record<string, Attribute>> {
  const { falseInterruptions, interrupted, turn, user } = record;
  const { endpointingMs, responseMs } = turnTimes(record);
  return {
    'trunkline.turn.number': turn,
    'trunkline.turn.interrupted': interrupted,
    ...(user !== null && { 'trunkline.turn.ended_by': user.endedBy }),
    ...(endpointingMs !== null && { 'trunkline.turn.endpointing_ms': endpointingMs }),
    ...(responseMs !== null && { 'trunkline.turn.response_ms': responseMs }),
    ...(falseInterruptions > 0 && { 'trunkline.turn.false_interruptions': falseInterruptions }),
  };
}

/** The stages of a turn, in their order. */
export function turnEvents({ answerHeardMs, firstTokenMs, startUs, user }: TurnRecord): readonly TraceEvent[] {
  const stages = [
    { name: 'user speech ended', ms: user === null ? null : 0 },
    { name: 'turn ended', ms: user?.endedMs ?? null },
    { name: 'first token', ms: firstTokenMs },
    { name: 'answer heard', ms: answerHeardMs },
    { name: 'turn committed', ms: user?.committedMs ?? null },
  ];
  return stages
    .flatMap(({ ms, name }) => (ms === null ? [] : [{ name, atUs: startUs + ms * 1000, attributes: {} }]))
    .toSorted((a, b) => a.atUs - b.atUs);
}
