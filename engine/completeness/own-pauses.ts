/** Shorter pauses are no evidence about the user: the rules wait this long after every text. Unit: ms. */
const PAUSE_MS_MIN = 500;
/** A single long pause may have another cause, such as a search for a document. */
const PAUSES_MIN = 2;
/** Added to the user's own pauses: the next one may be a little longer. */
const SLACK = 1.2;
/** Above it only open words hold the turn. Unit: ms. */
const OWN_PAUSE_MS_MAX = 1_500;
/** Answers of up to this many words are rarely interrupted by a pause. */
const SHORT_ANSWER_WORDS = 3;

/** The silence in ms that follows from this user's pauses; null if nothing follows from them. */
export function ownPauseMs(wordCount: number, isUnmarked: boolean, pausesMs: readonly number[]): number | null {
  const long = pausesMs.filter((pauseMs) => pauseMs >= PAUSE_MS_MIN).toSorted((a, b) => b - a);
  // The longest but one: robust against one unusual pause.
  const typicalMs = long[PAUSES_MIN - 1];
  if (!isUnmarked || wordCount <= SHORT_ANSWER_WORDS || typicalMs === undefined) return null;
  return Math.min(OWN_PAUSE_MS_MAX, typicalMs * SLACK);
}
