import type { DictationState } from './dictation-state.ts';
import type { OpenEnding } from './open-ending.ts';

/** Why a text counts as complete or open. */
export type CompletenessReason =
  | 'sentence_mark'
  | 'pause_mark'
  | 'missing_mark'
  | 'no_mark'
  | 'closing'
  | OpenEnding
  | 'open_clause'
  | DictationState
  | 'own_pauses'
  | 'acoustic_end';

/** The user dictates, or is about to: pauses within the turn are long. */
export const DICTATION_REASONS: ReadonlySet<CompletenessReason> = new Set([
  'dictation',
  'awaits_form',
  'form_may_continue',
]);

/**
 * The silence that ends a user turn, in ms, at scores 1 and 0. With a shorter pause a breath would end the turn; with a longer
 * one the line would seem dead.
 */
export const PAUSE_BOUNDS_MS = { least: 200, most: 1_800 } as const;

/** The silence in ms that ends a turn with words of this score. */
export function pauseMsOf({ score }: { readonly score: number }): number {
  return Math.round(PAUSE_BOUNDS_MS.most - score * (PAUSE_BOUNDS_MS.most - PAUSE_BOUNDS_MS.least));
}

/** The score of words after which users pause this long; the inverse of `pauseMsOf`. */
export function scoreOf(pauseMs: number): number {
  const { least, most } = PAUSE_BOUNDS_MS;
  return Math.min(1, Math.max(0, (most - pauseMs) / (most - least)));
}

/** The scores of the reasons, from the pauses that users make there. A pause of 1.2 s within an open sentence is common. */
export const REASON_SCORES: Readonly<Record<CompletenessReason, number>> = {
  sentence_mark: 1,
  closing: scoreOf(400),
  no_mark: scoreOf(500),
  form_complete: scoreOf(500),
  /** A transcriber that punctuates has left out the mark. */
  missing_mark: scoreOf(900),
  number_in_sentence: scoreOf(1_000),
  form_may_continue: scoreOf(1_300),
  awaits_form: scoreOf(1_300),
  marked_open_word: scoreOf(700),
  marked_open_ending: scoreOf(1_300),
  pause_mark: scoreOf(1_400),
  open_word: scoreOf(1_500),
  open_ending: scoreOf(1_500),
  object_wanted: scoreOf(1_400),
  open_clause: scoreOf(1_500),
  dictation: 0,
  own_pauses: scoreOf(500),
  acoustic_end: scoreOf(500),
};
