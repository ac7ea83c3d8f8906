import type { RuleStep } from '../core/rule-step.ts';
import type { UserTurn } from '../core/state/user-turn-slice.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** Beyond what finals take, what one may take on the way, in ms. */
const SLACK_MS = 100;
/** Nothing shorter is believed: network and provider are never faster for long, in ms. */
const LATENCY_MIN_MS = 150;
/** Fewer finals tell nothing yet. */
const LATENCIES_MIN = 3;
/** Only the latest count: a line and a provider change within a call. */
const LATENCIES_MAX = 8;

/**
 * How long a final is waited for, in ms from the end of the user's speech: as long as the slowest of the call's latest
 * ones took, and never longer than the provider's 99th percentile.
 */
export function finalTimeoutMs({ finalP99Ms }: TranscriberTraits, lagsMs: readonly number[]): number {
  const slowestMs = lagsMs.length < LATENCIES_MIN ? finalP99Ms : Math.max(LATENCY_MIN_MS, ...lagsMs);
  return Math.min(slowestMs, finalP99Ms) + SLACK_MS;
}

/**
 * Takes down how long a final took. One that comes after its turn was taken counts as well: else a call whose finals
 * become slower would never learn it.
 */
export function measureFinalLatency(step: RuleStep, userTurn: UserTurn): void {
  const { event } = step;
  if (event.type !== 'transcriber.final' || event.text.trim() === '' || userTurn.speaking) return;
  const isLate = userTurn.committedUntilMs > 0 && event.startMs < userTurn.committedUntilMs;
  const endedUs = isLate ? step.audioUs(userTurn.committedUntilMs) : userTurn.endedUs;
  if (endedUs === null) return;
  const lagMs = Math.max(0, Math.round((step.nowUs - endedUs) / 1000));
  step.change({ finalLatenciesMs: [...step.context.finalLatenciesMs, lagMs].slice(-LATENCIES_MAX) });
}
