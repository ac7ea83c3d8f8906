import { type AudioClock, audioPositionMs } from '../core/audio-clock.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { openWordsEndMs } from '../user-speech/open-speech.ts';

/** The user has spoken after the last known word, and after the audio that a final covers: words are still to come. */
export function areWordsMissing(
  { speech, speaking, endedUs }: UserTurn,
  traits: TranscriberTraits,
  audioClock: AudioClock,
): boolean {
  const wordsEndMs = openWordsEndMs(speech);
  if (speaking || endedUs === null || wordsEndMs === null) return false;
  const knownMs = Math.max(wordsEndMs, speech.finalUntilMs);
  return audioPositionMs(audioClock, endedUs) - knownMs > wordTimeErrorMs(traits);
}
