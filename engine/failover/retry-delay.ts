import type { RuleStep } from '../core/rule-step.ts';
import { retryBudgetLeftMs } from '../current-providers/retry-budget.ts';
import { jitteredMs } from './retry-jitter.ts';

/** Delays before the retries of one failure, in ms; jitter is applied. Together they fill the retry budget. */
const RETRY_DELAYS_MS = [250, 800, 2_000, 4_000] as const;

/** The retries of one failure until now. */
export interface Retries {
  readonly delays: number;
  readonly failedSinceUs: number;
  /** The delay that the provider asks for, in ms. */
  readonly requestedMs: number;
}

/** The delay before the next retry, in ms; null once the retry budget is exhausted. */
export function retryDelayMs(step: RuleStep, { delays, failedSinceUs, requestedMs }: Retries): number | null {
  const delayMs = RETRY_DELAYS_MS[delays];
  const leftMs = retryBudgetLeftMs(failedSinceUs, step.nowUs);
  if (delayMs === undefined || leftMs === 0) return null;
  return Math.min(Math.max(jitteredMs(step.context, delayMs), requestedMs), leftMs);
}
