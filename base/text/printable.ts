/** Characters of a text that control a terminal, or that show the reader another text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Text without one of these has nothing to escape. The search costs a tenth of that for `UNPRINTABLE`. */
const UNUSUAL = /[^ -~]/;
/** ZWNJ and ZWJ only choose glyphs: Persian words and emoji contain them. */
const JOINERS = '\u200c\u200d';

/**
 * The text on one line, safe for a terminal: line breaks, control characters (C0, C1), bidirectional marks, other invisible characters
 * and lone surrogates as `\u` escapes of UTF-16, so JSON stays the same JSON. For all text of peers, providers, models and tools.
 */
export function printable(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text.replace(UNPRINTABLE, (character) => (JOINERS.includes(character) ? character : escaped(character)));
}

/** Each line made printable. Only for text whose lines are meant, such as a stack. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
