import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TurnDraft } from '../core/state/turn-draft.ts';
import type { CallMetrics } from '../ports/journal.ts';
import type { ModelUsage } from '../ports/language-model.ts';
import { lastTurn } from './record-turn.ts';
import { turnMetrics } from './turn-metrics.ts';
import { roundMs } from './turn-record.ts';

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

type Counted = 'voiceCharacters' | 'eagerHits' | 'eagerMisses';

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

type CountedInTurn = 'falseInterruptions' | 'ducked' | 'echoWords';

/** Counts in the record of the turn whose answer is, or was last, heard. */
export function countInTurn(step: RuleStep, key: CountedInTurn, by = 1): void {
  const { currentTurn } = step.context.metrics;
  if (currentTurn !== null && by > 0) changeTurn(step, { ...currentTurn, [key]: currentTurn[key] + by });
}

export function countInterruption(step: RuleStep): void {
  const { currentTurn } = step.context.metrics;
  if (currentTurn !== null) changeTurn(step, { ...currentTurn, interrupted: true });
}

/** Late words have changed the turn with this transcript entry. */
export function countAmendment(step: RuleStep, sequence: number): void {
  const { currentTurn } = step.context.metrics;
  if (currentTurn?.user == null || currentTurn.user.sequence !== sequence) return;
  changeTurn(step, { ...currentTurn, user: { ...currentTurn.user, amended: currentTurn.user.amended + 1 } });
}

function changeTurn(step: RuleStep, currentTurn: TurnDraft): void {
  step.change({ metrics: { ...step.context.metrics, currentTurn } });
}

export function callMetrics(context: CallContext, transcribedMs: number): CallMetrics {
  const { eagerHits, eagerMisses, inputTokens, outputTokens, voiceCharacters } = context.metrics;
  const last = lastTurn(context.metrics);
  const turns = [...context.metrics.turns, ...(last === null ? [] : [last.record])];
  return {
    ...turnMetrics(turns),
    turns: context.counters.turn,
    eagerHits,
    eagerMisses,
    inputTokens,
    outputTokens,
    voiceCharacters,
    transcribedMs: roundMs(transcribedMs),
  };
}
