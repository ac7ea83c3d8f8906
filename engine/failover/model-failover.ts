import type { RuleStep } from '../core/rule-step.ts';
import type { Generation, ModelAttempts } from '../core/state/generation-slice.ts';
import { modelKey, nextModel } from '../current-providers/current-model.ts';
import { describeProviderError, type ProviderError } from '../ports/provider-error.ts';
import { retryDelayMs } from './retry-delay.ts';
import { logProviderFailure } from './retry-or-next-provider.ts';

/** The model that is asked after a failure, and when. */
export interface NextAttempt {
  readonly model: string;
  readonly afterMs: number;
  readonly attempts: ModelAttempts;
}

type FailedGeneration = Pick<Generation, 'model' | 'attempts'>;

/**
 * Chooses what follows the failure of a model, and logs it. Every other model is asked at once; after that all are asked
 * again after a delay, except those that rejected the request. Null: no model is left, or the retry budget is exhausted.
 */
export function attemptAfterFailure(
  step: RuleStep,
  { model, attempts }: FailedGeneration,
  error: ProviderError,
): NextAttempt | null {
  skipModel(step, model);
  const rejected = error.retryable ? attempts.rejected : [...attempts.rejected, model];
  const failedSinceUs = attempts.failedSinceUs ?? step.nowUs;
  const failed = { ...attempts, failedSinceUs, rejected, failed: [...attempts.failed, model] };
  const next = otherAttempt(step, failed) ?? delayedAttempt(step, failed, error.retryAfterMs ?? 0);
  logModelFailure(step, model, next, describeProviderError(error));
  return next;
}

/** A model whose answer had neither words nor tool calls is asked once more at once, then every other model. */
export function attemptAfterEmptyResponse(step: RuleStep, { model, attempts }: FailedGeneration): NextAttempt | null {
  const failed = { ...attempts, failed: [...attempts.failed, model] };
  const isRepeated = attempts.failed.includes(model);
  if (isRepeated) skipModel(step, model);
  const next = isRepeated ? otherAttempt(step, failed) : { model, afterMs: 0, attempts: failed };
  logModelFailure(step, model, next, 'empty response');
  return next;
}

/** A model that has answered is not skipped any more. */
export function resetModelFailure(step: RuleStep, model: string): void {
  const { failover } = step.context;
  if (!failover.modelsFailedUs.has(model)) return;
  const modelsFailedUs = new Map([...failover.modelsFailedUs].filter(([key]) => key !== model));
  step.change({ failover: { ...failover, modelsFailedUs } });
}

function skipModel(step: RuleStep, model: string): void {
  const { failover } = step.context;
  const modelsFailedUs = new Map([...failover.modelsFailedUs, [model, step.nowUs]]);
  step.change({ failover: { ...failover, modelsFailedUs } });
}

function otherAttempt(step: RuleStep, attempts: ModelAttempts): NextAttempt | null {
  const other = nextModel(step, [...attempts.failed, ...attempts.rejected]);
  return other === null ? null : { model: modelKey(step.context, other), afterMs: 0, attempts };
}

function delayedAttempt(step: RuleStep, attempts: ModelAttempts, requestedMs: number): NextAttempt | null {
  const { delays, rejected, failedSinceUs } = attempts;
  const next = nextModel(step, rejected);
  const afterMs = retryDelayMs(step, { delays, requestedMs, failedSinceUs: failedSinceUs ?? step.nowUs });
  if (next === null || afterMs === null) return null;
  return {
    model: modelKey(step.context, next),
    afterMs,
    attempts: { ...attempts, delays: delays + 1, failed: [] },
  };
}

function logModelFailure(step: RuleStep, from: string, next: NextAttempt | null, error: string): void {
  const to = next === null || next.model === from ? null : next.model;
  logProviderFailure(step, { kind: 'language_model', from, to, error });
}
