import type { CallerTurn } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** Beyond what finals take, what one may take on the way, in ms. */
const SLACK_MS = 100;
/** Nothing shorter is believed: network and provider are never faster for long, in ms. */
const LEARNED_LEAST_MS = 150;
/** Fewer finals tell nothing yet. */
const LAGS_LEAST = 3;
/** Only the latest count: a line and a provider change within a call. */
const LAGS_MAX = 8;

/**
 * How long a final is waited for, in ms from the end of the caller's speech: as long as the slowest of the call's latest
 * ones took, and never longer than the provider's 99th percentile.
 */
export function finalWaitMs({ finalP99Ms }: TranscriberTraits, lagsMs: readonly number[]): number {
  const slowestMs = lagsMs.length < LAGS_LEAST ? finalP99Ms : Math.max(LEARNED_LEAST_MS, ...lagsMs);
  return Math.min(slowestMs, finalP99Ms) + SLACK_MS;
}

/**
 * Takes down how long a final took. One that comes after its turn was taken counts as well: else a call whose finals
 * become slower would never learn it.
 */
export function learnFinal(step: Step, caller: CallerTurn): void {
  const { event } = step;
  if (event.type !== 'transcriber.final' || event.text.trim() === '' || caller.speaking) return;
  const isLate = caller.takenUntilMs > 0 && event.startMs < caller.takenUntilMs;
  const endedUs = isLate ? step.audioUs(caller.takenUntilMs) : caller.endedUs;
  if (endedUs === null) return;
  const lagMs = Math.max(0, Math.round((step.nowUs - endedUs) / 1000));
  step.change({ finalLagsMs: [...step.context.finalLagsMs, lagMs].slice(-LAGS_MAX) });
}
