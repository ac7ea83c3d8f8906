import type { CallContext, Reply, Segment } from '../call/call-context.ts';
import type { Step } from '../call/step.ts';
import type { CallMetrics, TurnMetrics } from '../ports/journal.ts';
import type { ModelUsage } from '../ports/language-model.ts';

export function countTokens(step: Step, usage: ModelUsage | undefined): void {
  if (usage === undefined) return;
  const { tally } = step.context;
  step.change({
    tally: {
      ...tally,
      inputTokens: tally.inputTokens + usage.inputTokens,
      outputTokens: tally.outputTokens + usage.outputTokens,
    },
  });
}

export function count(step: Step, key: 'interruptions' | 'falseInterruptions' | 'voiceCharacters', by = 1): void {
  const { tally } = step.context;
  step.change({ tally: { ...tally, [key]: tally[key] + by } });
}

/** The figures of a reply, told once, when its first sample has left on the wire. */
export function measureReply(step: Step, reply: Reply, first: Segment): void {
  const { turn, modelTimes: times } = reply;
  const wireUs = first.wire?.startedUs ?? step.nowUs;
  const responseMs = turn === null ? null : ms(turn.speechEndedUs, wireUs);
  const endpointingMs = turn === null ? null : ms(turn.speechEndedUs, turn.takenUs);
  const llmFirstTokenMs = times === null ? null : ms(times.requestedUs, times.firstTokenUs);
  const voiceFirstAudioMs = first.voiceStartedUs === null ? null : ms(first.orderedUs, first.voiceStartedUs);
  const parts = (endpointingMs ?? 0) + (llmFirstTokenMs ?? 0) + (voiceFirstAudioMs ?? 0);
  const engineMs = responseMs === null ? null : round(responseMs - parts);
  const metrics: TurnMetrics = {
    turn: turn?.number ?? 0,
    endpointingMs,
    llmFirstTokenMs,
    voiceFirstAudioMs,
    engineMs,
    responseMs,
  };
  step.order({ type: 'journal.write', entry: { type: 'turn_metrics', metrics } });
  if (responseMs === null) return;
  const { tally } = step.context;
  step.change({ tally: { ...tally, responsesMs: [...tally.responsesMs, responseMs] } });
}

export function callMetrics(context: CallContext, transcribedMs: number): CallMetrics {
  const { interruptions, falseInterruptions, inputTokens, outputTokens, voiceCharacters, responsesMs } = context.tally;
  return {
    turns: context.numbers.turn,
    interruptions,
    falseInterruptions,
    inputTokens,
    outputTokens,
    voiceCharacters,
    transcribedMs: round(transcribedMs),
    responseMs: { median: percentile(responsesMs, 0.5), p95: percentile(responsesMs, 0.95) },
  };
}

/** Nearest rank; null of nothing. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

function ms(fromUs: number, toUs: number): number {
  return round((toUs - fromUs) / 1000);
}

/** To a tenth of a ms: packets are coarser. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
