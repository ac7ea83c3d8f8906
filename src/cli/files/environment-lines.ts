const QUOTES = ['"', "'", '`'];
const EMPTY_OR_COMMENT = /^\s*(#.*)?$/;
/** `NAME=value`, also after `export`, as `parseEnv` of `node:util` reads it. */
const ASSIGNMENT = /^\s*(?:export\s+)?[^=\s#][^=]*=\s*(?<value>.*)$/;

/**
 * Numbers, from 1, of the lines of a `.env` file that `parseEnv` skips or reads otherwise than they look: those without a name or `=`,
 * with a quote that nothing closes, or with text after the closing quote. A quoted value may span lines.
 */
export function malformedLines(text: string): readonly number[] {
  const lines = text.split(/\r?\n/);
  const malformed: number[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (EMPTY_OR_COMMENT.test(line)) continue;
    const value = ASSIGNMENT.exec(line)?.groups?.value;
    const { isWhole, lineBreaks } =
      value === undefined ? NO_VALUE : quotedValue([value, ...lines.slice(index + 1)].join('\n'));
    if (!isWhole) malformed.push(index + 1);
    index += lineBreaks;
  }
  return malformed;
}

interface Value {
  readonly isWhole: boolean;
  readonly lineBreaks: number;
}

const NO_VALUE: Value = { isWhole: false, lineBreaks: 0 };

/** The value at the start of `text`. */
function quotedValue(text: string): Value {
  const quote = text.charAt(0);
  if (!QUOTES.includes(quote)) return { isWhole: true, lineBreaks: 0 };
  const end = text.indexOf(quote, 1);
  if (end < 0) return NO_VALUE;
  const [after = ''] = text.slice(end + 1).split('\n', 1);
  return { isWhole: EMPTY_OR_COMMENT.test(after), lineBreaks: text.slice(0, end).split('\n').length - 1 };
}
