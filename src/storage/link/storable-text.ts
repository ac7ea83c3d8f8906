const REPLACEMENT = '\uFFFD';
/** An escape of JSON. `JSON.stringify` writes U+0000 and lone surrogates, and no other character, in the two long forms. */
const JSON_ESCAPE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/**
 * Text that both databases store and return unchanged: PostgreSQL's text holds no U+0000, and UTF-8 no lone surrogate. Both become the
 * replacement character. The API refuses them; peers, providers and models may send them.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).toWellFormed();
}

/** JSON of a value, with storable text in its names and strings. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u')) return json;
  return json.replace(JSON_ESCAPE, (found) => (/^\\u[0d]/.test(found) ? REPLACEMENT : found));
}
