/** The pause at even odds: that of a sentence without a mark. Unit: ms. */
const EVEN_MS = 500;
/** The pause after words that sound complete beyond doubt. */
const COMPLETE_MS = 300;
/** The pause after words that sound open beyond doubt. A user who does not go on is still answered. */
const OPEN_MS = 1_500;

/**
 * The pause in ms that ends the turn once an acoustic model has judged it. It shortens the pause of words that could end
 * here, and lengthens that of any words; it never shortens the pause of words that are open by themselves.
 *
 * @param textMs the pause by the words alone
 * @param probability that the turn is complete, 0 to 1
 */
export function acousticPauseMs(textMs: number, probability: number): number {
  const certainty = Math.min(1, Math.abs(probability - 0.5) * 2);
  if (probability < 0.5) return Math.max(textMs, EVEN_MS + certainty * (OPEN_MS - EVEN_MS));
  const completeMs = EVEN_MS - certainty * (EVEN_MS - COMPLETE_MS);
  return textMs > EVEN_MS ? textMs : Math.min(textMs, completeMs);
}
