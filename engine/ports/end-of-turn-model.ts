import type { AudioFormat } from '../../base/audio/audio-format.ts';

/** An answer that is later than this is not used: the rules have decided. In ms. */
export const END_OF_TURN_ANSWER_MS_MAX = 80;

/**
 * An acoustic model that hears whether a user has finished. It is optional: the operator supplies it, and the rules decide
 * without it.
 */
export interface EndOfTurnModel {
  /**
   * Judges the last seconds of a user's audio, at a pause. `answer` is called at most once, on a later turn of the event
   * loop, with the probability from 0 to 1 that the turn is complete; never if the model fails or is too slow.
   */
  judge(audio: Uint8Array, format: AudioFormat, answer: (probability: number) => void): void;
}
