import type { RuleStep } from '../core/rule-step.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** Added to the latency of finals, for the network, in ms. */
const SLACK_MS = 100;
/** Lower bound of the measured latencies, in ms: network and provider are never faster for long. */
const LATENCY_MIN_MS = 150;
/** Below this number of measured finals, the provider's 99th percentile is used. */
const LATENCIES_MIN = 3;
/** Only the latest finals count: the network and the provider change during a call. */
const LATENCIES_MAX = 8;

/**
 * The timeout of a final, in ms from the end of the user's speech: the latency of the slowest of the call's latest
 * finals, at most the provider's 99th percentile.
 */
export function finalTimeoutMs({ finalP99Ms }: TranscriberTraits, latenciesMs: readonly number[]): number {
  const slowestMs = latenciesMs.length < LATENCIES_MIN ? finalP99Ms : Math.max(LATENCY_MIN_MS, ...latenciesMs);
  return Math.min(slowestMs, finalP99Ms) + SLACK_MS;
}

/**
 * Measures the latency of a final. A final that arrives after its turn was committed counts too: otherwise the timeout
 * would not grow when finals become slower.
 */
export function measureFinalLatency(step: RuleStep, userTurn: UserTurn): void {
  const { event } = step;
  if (event.type !== 'transcriber.final' || event.text.trim() === '' || userTurn.speaking) return;
  const isLate = userTurn.committedUntilMs > 0 && event.startMs < userTurn.committedUntilMs;
  const endedUs = isLate ? step.audioUs(userTurn.committedUntilMs) : userTurn.endedUs;
  if (endedUs === null) return;
  const latencyMs = Math.max(0, Math.round((step.nowUs - endedUs) / 1000));
  step.change({ finalLatenciesMs: [...step.context.finalLatenciesMs, latencyMs].slice(-LATENCIES_MAX) });
}
