import { maskedRuns } from '../../../src/log/number-mask.ts';
import type { CallTimeline, TimelineProviderFailure, TimelineTool, TimelineTransfer } from '../generated/client.ts';

export interface AxisEvent {
  readonly key: string;
  readonly kind: 'tool' | 'state' | 'failure' | 'transfer' | 'filler';
  readonly startMs: number;
  /** Null: it has no length. */
  readonly endMs: number | null;
  readonly label: string;
}

/** The part of a timeline that is no speech. */
type TimelineEvents = Pick<CallTimeline, 'fillers' | 'states'> & {
  readonly provider_failures: readonly Omit<TimelineProviderFailure, 'kind'>[];
  readonly tools: readonly Pick<TimelineTool, 'end_ms' | 'name' | 'start_ms' | 'successful'>[];
  readonly transfers: readonly Pick<TimelineTransfer, 'destination' | 'end_ms' | 'reason' | 'start_ms'>[];
};

/** The events besides speech, in their order. */
export function axisEvents(timeline: TimelineEvents, fillerName: string): readonly AxisEvent[] {
  const { fillers, provider_failures: failures, states, tools, transfers } = timeline;
  const events: readonly Omit<AxisEvent, 'key'>[] = [
    ...tools.map(({ end_ms, name, start_ms, successful }) => {
      return {
        kind: 'tool' as const,
        startMs: start_ms,
        endMs: end_ms,
        label: `${name}()${successful === false ? ' ✕' : ''}`,
      };
    }),
    ...states.map(({ from, name, start_ms }) => {
      return {
        kind: 'state' as const,
        startMs: start_ms,
        endMs: null,
        label: from === null ? name : `${from} → ${name}`,
      };
    }),
    ...failures.map(({ error, fallback, provider, start_ms }) => {
      const label = `${fallback === null ? provider : `${provider} → ${fallback}`}: ${error}`;
      return { kind: 'failure' as const, startMs: start_ms, endMs: null, label };
    }),
    ...transfers.map(({ destination, end_ms, reason, start_ms }) => {
      const label = [`→ ${maskedRuns(destination)}`, ...(reason === null ? [] : [reason])].join(': ');
      return { kind: 'transfer' as const, startMs: start_ms, endMs: end_ms, label };
    }),
    ...fillers.map(({ start_ms }) => {
      return { kind: 'filler' as const, startMs: start_ms, endMs: null, label: fillerName };
    }),
  ];
  return events
    .toSorted((one, other) => one.startMs - other.startMs)
    .map((event, index) => ({ ...event, key: `${index} ${event.kind}` }));
}
