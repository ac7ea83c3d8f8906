/** Shorter numbers are extensions and service numbers: they identify no person, and their digits occur elsewhere by chance. */
const DIGITS_MIN = 7;

/**
 * Replaces a number by the same masked digits everywhere: in the call parameters, a prompt, a variable, an encoded URL. The
 * engine's rules never look into a number, so a tape with masked digits replays like the call.
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
