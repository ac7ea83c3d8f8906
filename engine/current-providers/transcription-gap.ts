import type { RuleStep } from '../core/rule-step.ts';
import { hasChangingWords, transcribedUntilMs } from '../user-speech/open-speech.ts';
import { changeTranscriberState, transcriberTraits, wordTimeErrorMs } from './current-transcriber.ts';

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
  const speechMs = (speechUs - step.time.audioEpochUs) / 1000;
  return speechMs > transcribedUntilMs(speech) + wordTimeErrorMs(transcriberTraits(step.context));
}

/** Closes the gap once the new stream has transcribed up to the lost position, or up to the end of the speech. */
export function closeGapOnceCaughtUp(step: RuleStep): void {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (gap?.phase !== 'catchingUp' && gap?.phase !== 'missingWords') return;
  const { speaking, endedUs } = step.context.userTurn;
  const speechEndMs = speaking || endedUs === null ? gap.lostMs : (endedUs - step.time.audioEpochUs) / 1000;
  if (event.type === 'transcriber.utterance_end') closeGap(step);
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return;
  const errorMs = wordTimeErrorMs(transcriberTraits(step.context));
  if (event.endMs + errorMs >= Math.min(speechEndMs, gap.lostMs)) closeGap(step);
}

export function closeGap(step: RuleStep): void {
  changeTranscriberState(step, { gap: null });
  step.stopTimer('transcriber');
}
