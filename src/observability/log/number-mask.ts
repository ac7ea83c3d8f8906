/** Shorter ones are extensions and service numbers: they name nobody, and their digits stand elsewhere by chance. */
const DIGITS_MIN = 7;

/**
 * Puts the same masked digits in the place of a number wherever it stands: in the facts, a prompt, a variable, an encoded
 * URL. The rules never look into a number, so a tape with other digits replays as the call went. Keys that are pressed one by
 * one are `MaskedKeys`.
 */
export function numberMask(numbers: readonly (string | null)[]): (text: string) => string {
  const digits = numbers
    .flatMap((number) => number?.replace(/\D/g, '') ?? [])
    .filter(({ length }) => length >= DIGITS_MIN);
  return (text) =>
    digits.reduce(
      (masked, known) => masked.replaceAll(known, known.slice(0, 2) + '0'.repeat(known.length - 4) + known.slice(-2)),
      text,
    );
}
