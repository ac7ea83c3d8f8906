import type { RuleStep } from '../core/rule-step.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { committedUntilMs } from '../user-speech/commit-mark.ts';

/** Added to the latency of finals, for the network, in ms. */
const SLACK_MS = 100;
/** Lower bound of the measured latencies, in ms: network and provider are never faster for long. */
const LATENCY_MS_MIN = 150;
/** Below this number of measured finals, the longest timeout is used. */
const LATENCIES_MIN = 3;
/** Only the latest finals count: the network and the provider change during a call. */
const LATENCIES_MAX = 8;
/** Speech of this length contains a word: a transcriber that reports none may be mute. In ms. */
export const WORDLESS_SPEECH_MS = 1_500;
/** A transcriber is late rather than mute up to this latency, until enough finals of the call were measured, in ms. */
const FIRST_FINALS_MS_MAX = 2_000;
/** Upper bound of the measured latency for which words of long speech are waited for, in ms. */
const LATE_FINALS_MS_MAX = 3_000;
/** Words that are still missing are waited for at most this long, or for the provider's 99th percentile, in ms. */
const MISSING_WORDS_MS_MAX = 1_200;

/**
 * The timeout of a final whose words are known from an interim, in ms from the end of the user's speech: the latency of
 * the slowest of the call's latest finals, at most the provider's 99th percentile.
 */
export function finalTimeoutMs({ finalP99Ms }: TranscriberTraits, latenciesMs: readonly number[]): number {
  return slowestMs(latenciesMs, finalP99Ms) + SLACK_MS;
}

/**
 * The timeout of the first word of speech that was long enough to have one, before the transcriber counts as mute. Its
 * interims would have come during the speech.
 */
export function firstWordsTimeoutMs(traits: TranscriberTraits, latenciesMs: readonly number[], sendsInterims: boolean) {
  const { finalP99Ms, hasDeadline } = traits;
  if (sendsInterims || hasDeadline === true) return finalP99Ms + SLACK_MS;
  const lateMs = latenciesMs.length < LATENCIES_MIN ? FIRST_FINALS_MS_MAX : Math.max(...latenciesMs);
  return Math.max(finalP99Ms, Math.min(LATE_FINALS_MS_MAX, lateMs)) + SLACK_MS;
}

/** The latency that this call's finals have at most, in ms: the provider's 99th percentile until it is measured. */
export function finalLatencyMs({ finalP99Ms }: TranscriberTraits, latenciesMs: readonly number[]): number {
  return slowestMs(latenciesMs, finalP99Ms);
}

/** The timeout of words that no event has reported yet. Without them the answer would be to half a sentence. */
export function missingWordsTimeoutMs({ finalP99Ms }: TranscriberTraits, latenciesMs: readonly number[]): number {
  return Math.min(
    Math.max(MISSING_WORDS_MS_MAX, finalP99Ms),
    slowestMs(latenciesMs, Number.POSITIVE_INFINITY) + SLACK_MS,
  );
}

/** The same for a short sound: until this call's finals are measured, the provider's percentile is enough. */
export function shortSoundTimeoutMs(traits: TranscriberTraits, latenciesMs: readonly number[]): number {
  const isMeasured = latenciesMs.length >= LATENCIES_MIN;
  return isMeasured ? missingWordsTimeoutMs(traits, latenciesMs) : finalTimeoutMs(traits, latenciesMs);
}

/** The latency of the slowest of these finals; `timeoutMsMax` if it is longer or too few were measured. */
function slowestMs(latenciesMs: readonly number[], timeoutMsMax: number): number {
  return latenciesMs.length < LATENCIES_MIN
    ? timeoutMsMax
    : Math.min(timeoutMsMax, Math.max(LATENCY_MS_MIN, ...latenciesMs));
}

/**
 * Measures the latency of a final. A final that arrives after its turn was committed counts too: otherwise the timeout
 * would not grow when finals become slower.
 */
export function measureFinalLatency(step: RuleStep, userTurn: UserTurn): void {
  const { event } = step;
  const { activityStartedUs, endedUs: openEndedUs, speaking, speech } = userTurn;
  if (event.type === 'media.speech_stopped') measureEarlyFinal(step, step.audioUs(event.audioMs));
  if (event.type !== 'transcriber.final' || event.text.trim() === '') return;
  // These words were final before, or the audio was sent again.
  if (event.endMs <= speech.finalUntilMs || step.context.failover.transcriber.gap !== null) return;
  if (speaking) {
    if (step.audioUs(event.endMs) > (activityStartedUs ?? 0)) step.change({ earlyFinalUs: step.nowUs });
    return;
  }
  const committedMs = committedUntilMs(speech);
  const endedUs =
    event.startMs < committedMs ? step.audioUs(committedMs) : (openEndedUs ?? discardedEndUs(step, event.startMs));
  if (endedUs === null) return;
  rememberLatency(step, step.nowUs - endedUs);
}

/** The final came between the end of the speech and the report of that end. An earlier final was of a part of the speech. */
function measureEarlyFinal(step: RuleStep, endedUs: number): void {
  const { earlyFinalUs } = step.context;
  step.change({ earlyFinalUs: null });
  if (earlyFinalUs !== null && earlyFinalUs >= endedUs) rememberLatency(step, earlyFinalUs - endedUs);
}

function rememberLatency(step: RuleStep, latencyUs: number): void {
  const latencyMs = Math.max(0, Math.round(latencyUs / 1000));
  step.change({ finalLatenciesMs: [...step.context.finalLatenciesMs, latencyMs].slice(-LATENCIES_MAX) });
}

/** End of speech that was discarded as noise before its words came. */
function discardedEndUs(step: RuleStep, wordsStartMs: number): number | null {
  const endedUs = step.context.echo.activity.at(-1)?.untilUs ?? null;
  return endedUs !== null && endedUs > step.audioUs(wordsStartMs) ? endedUs : null;
}
