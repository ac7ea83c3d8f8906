import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply, Segment } from '../core/state/playout-slice.ts';
import type { CallMetrics, Percentiles, TurnMetrics } from '../ports/journal.ts';
import type { ModelUsage } from '../ports/language-model.ts';

export function countTokens(step: RuleStep, usage: ModelUsage | undefined): void {
  if (usage === undefined) return;
  const { metrics } = step.context;
  step.change({
    metrics: {
      ...metrics,
      inputTokens: metrics.inputTokens + usage.inputTokens,
      outputTokens: metrics.outputTokens + usage.outputTokens,
    },
  });
}

type Counted = 'interruptions' | 'falseInterruptions' | 'voiceCharacters' | 'eagerHits' | 'eagerMisses';

/** The answer of an eager generation is used. */
export function countEagerHit(step: RuleStep): void {
  step.change({ eager: { ...step.context.eager, consecutiveMisses: 0 } });
  countMetric(step, 'eagerHits');
}

export function countEagerMiss(step: RuleStep): void {
  const { eager } = step.context;
  step.change({ eager: { ...eager, consecutiveMisses: eager.consecutiveMisses + 1 } });
  countMetric(step, 'eagerMisses');
}

export function countMetric(step: RuleStep, key: Counted, by = 1): void {
  const { metrics } = step.context;
  step.change({ metrics: { ...metrics, [key]: metrics[key] + by } });
}

/** Reports the metrics of a reply, once: now, when the first sample of its answer leaves on the wire. */
export function recordTurnMetrics(step: RuleStep, reply: Reply, first: Segment): void {
  const { turn, modelTimes: times, number } = reply;
  // A thinking filler may have been played before it.
  const firstAudioUs = reply.segments[0]?.playout?.startedUs ?? step.nowUs;
  const turnMetrics: TurnMetrics = {
    turn: number,
    endpointingMs: turn === null ? null : ms(turn.speechEndedUs, turn.endedUs),
    llmFirstTokenMs: times === null ? null : ms(Math.max(times.requestedUs, turn?.endedUs ?? 0), times.firstTokenUs),
    voiceFirstAudioMs: first.voiceStartedUs === null ? null : ms(first.requestedUs, first.voiceStartedUs),
    engineMs: turn === null ? null : engineMs(reply, first, turn.endedUs, step.nowUs),
    responseMs: turn === null ? null : ms(turn.speechEndedUs, firstAudioUs),
  };
  step.command({ type: 'journal.write', entry: { type: 'turn_metrics', metrics: turnMetrics } });
  if (turn === null) return;
  const { metrics } = step.context;
  step.change({ metrics: { ...metrics, turns: [...metrics.turns, turnMetrics] } });
}

/** Null if it would include the wait for a model: after a model timeout or a filler. */
function engineMs(
  { modelTimes, fillerSegments, modelRequests }: Reply,
  first: Segment,
  turnEndedUs: number,
  wireUs: number,
) {
  if (fillerSegments.length > 0 || (modelTimes === null && modelRequests > 0)) return null;
  const requestedUs = modelTimes?.requestedUs ?? first.requestedUs;
  // A clause that the voice had ahead waits for the end of the turn.
  const audioUs = Math.max(first.voiceStartedUs ?? first.requestedUs, turnEndedUs);
  return round(ms(turnEndedUs, requestedUs) + ms(audioUs, wireUs));
}

export function callMetrics(context: CallContext, transcribedMs: number): CallMetrics {
  const { turns, ...counted } = context.metrics;
  return {
    turns: context.counters.turn,
    ...counted,
    transcribedMs: round(transcribedMs),
    endpointingMs: percentilesOf(turns, 'endpointingMs'),
    llmFirstTokenMs: percentilesOf(turns, 'llmFirstTokenMs'),
    voiceFirstAudioMs: percentilesOf(turns, 'voiceFirstAudioMs'),
    engineMs: percentilesOf(turns, 'engineMs'),
    responseMs: percentilesOf(turns, 'responseMs'),
  };
}

function percentilesOf(measured: readonly TurnMetrics[], metric: Exclude<keyof TurnMetrics, 'turn'>): Percentiles {
  const sorted = measured.flatMap(({ [metric]: value }) => (value === null ? [] : [value])).toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { median: rank(0.5), p95: rank(0.95) };
}

/** Duration between two moments, never negative: an eager request is made before the turn has ended. */
function ms(fromUs: number, toUs: number): number {
  return round(Math.max(0, toUs - fromUs) / 1000);
}

/** To a tenth of a ms, which is finer than a packet. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
