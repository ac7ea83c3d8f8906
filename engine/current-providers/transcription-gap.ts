import type { RuleStep } from '../core/rule-step.ts';
import type { TranscriberGap } from '../core/state/failover-slice.ts';
import { hasChangingWords, transcribedUntilMs } from '../user-speech/open-speech.ts';
import { changeTranscriberState, transcriberTraits, wordTimeErrorMs } from './current-transcriber.ts';

/** A stream whose words come later than this after their audio, in ms, still catches up. Live words come sooner. */
const LIVE_LAG_MS_MAX = 600;
/** The longest pause between the words of a stream that is slow to catch up, in ms. */
const NEXT_WORDS_MS_MAX = 2_000;
/** A stream that is slower to catch up, in ms from `ready`, leaves the user in silence for too long: the known words count. */
const SLOW_STREAM_MS_MAX = 8_000;

/** Whether the stream was lost during speech of the user. No turn is committed until the words are known. */
export function isPartlyTranscribed(step: RuleStep): boolean {
  return step.context.failover.transcriber.gap !== null && hasUntranscribedSpeech(step);
}

/** Whether the user has spoken after the last final. */
export function hasUntranscribedSpeech(step: RuleStep): boolean {
  const { speech, speaking, endedUs, startedUs } = step.context.userTurn;
  if (speaking || hasChangingWords(speech)) return true;
  const speechUs = endedUs ?? startedUs;
  if (speechUs === null) return false;
  const speechMs = step.audioMsAt(speechUs);
  return speechMs > transcribedUntilMs(speech) + wordTimeErrorMs(transcriberTraits(step.context));
}

/**
 * Closes the gap once the new stream has final words up to the end of the speech, or words beyond the lost position as fast as
 * the user speaks. A stream that has not caught up has more words: the next ones are waited for.
 */
export function closeGapOnceCaughtUp(step: RuleStep): void {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (gap?.phase !== 'catchingUp' && gap?.phase !== 'missingWords') return;
  const { speaking, endedUs } = step.context.userTurn;
  const silentSinceMs = endedUs === null ? gap.lostMs : step.audioMsAt(endedUs);
  const speechEndMs = speaking ? Number.POSITIVE_INFINITY : silentSinceMs;
  if (event.type === 'transcriber.utterance_end') closeGap(step);
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return;
  const knownMs = event.endMs + wordTimeErrorMs(transcriberTraits(step.context));
  if (knownMs < Math.min(speechEndMs, gap.lostMs)) return;
  const isLive = event.endMs + LIVE_LAG_MS_MAX >= step.time.audioMs;
  const isFinal = event.type === 'transcriber.final' || (event.type === 'transcriber.turn' && event.phase === 'ended');
  if (isLive || (isFinal && knownMs >= speechEndMs)) closeGap(step);
  else waitForNextWords(step, gap);
}

/** The new stream is slow, and has not reported all that was said. */
function waitForNextWords(step: RuleStep, gap: TranscriberGap): void {
  const latestUs = (gap.readyUs ?? step.nowUs) + SLOW_STREAM_MS_MAX * 1000;
  const leftMs = Math.min(NEXT_WORDS_MS_MAX, Math.max(0, Math.round((latestUs - step.nowUs) / 1000)));
  changeTranscriberState(step, { gap: { ...gap, phase: 'missingWords' } });
  step.startTimer('transcriber', leftMs);
}

export function closeGap(step: RuleStep): void {
  changeTranscriberState(step, { gap: null });
  step.stopTimer('transcriber');
}
