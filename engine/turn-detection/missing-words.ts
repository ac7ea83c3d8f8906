import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { wordTimeErrorMs } from '../current-providers/current-transcriber.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';
import { openWordsEndMs } from '../user-speech/open-speech.ts';

/**
 * The user has spoken after the last known word: its words are still to come.
 *
 * @param audioEpochUs engine time of the user's first sample
 */
export function areWordsMissing(
  { speech, speaking, endedUs }: UserTurn,
  traits: TranscriberTraits,
  audioEpochUs: number,
): boolean {
  const wordsEndMs = openWordsEndMs(speech);
  if (speaking || endedUs === null || wordsEndMs === null) return false;
  return (endedUs - audioEpochUs) / 1000 - wordsEndMs > wordTimeErrorMs(traits);
}
