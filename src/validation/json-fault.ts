/** Position and cause of a JSON error. Lines and columns count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain them (RFC 8259 §7).
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
/** One token with the white space before it. */
const TOKEN = new RegExp(`[ \\t\\r\\n]*([{}[\\],:]|${STRING.source}|${NUMBER.source}|true|false|null)`, 'y');

type Expecting = 'value' | 'firstItem' | 'firstName' | 'name' | 'colon' | 'commaOrEnd' | 'end';

const EXPECTED: Readonly<Record<Expecting, string>> = {
  value: 'a value',
  firstItem: 'a value or ]',
  firstName: 'a name in double quotes or }',
  name: 'a name in double quotes',
  colon: 'a :',
  commaOrEnd: 'a , or the closing bracket',
  end: 'nothing more',
};

/**
 * The first place where the text stops being JSON (RFC 8259); null for valid JSON. V8's parser reports no position for
 * most faults.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[1];
    const next: Expecting | null = token === undefined ? null : following(expecting, token, open);
    if (next === null) break;
    expecting = next;
    at = TOKEN.lastIndex;
  }
  const rest = /^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0;
  if (expecting === 'end' && at + rest === text.length) return null;
  const before = text.slice(0, at + rest).split('\n');
  const isEnd = at + rest === text.length;
  const expected = `${EXPECTED[expecting]}${isEnd ? ', and the text ends here' : ''}`;
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected };
}

/** The tokens that may follow this one; null if the token is not allowed here. Updates `open`. */
function following(expecting: Expecting, token: string, open: ('{' | '[')[]): Expecting | null {
  const afterValue = () => (open.length === 0 ? 'end' : 'commaOrEnd');
  const closes = (bracket: '{' | '[') => {
    if (open.at(-1) !== bracket) return null;
    open.pop();
    return afterValue();
  };
  if (token === '}') return expecting === 'firstName' || expecting === 'commaOrEnd' ? closes('{') : null;
  if (token === ']') return expecting === 'firstItem' || expecting === 'commaOrEnd' ? closes('[') : null;
  if (token === ',') {
    if (expecting !== 'commaOrEnd') return null;
    return open.at(-1) === '{' ? 'name' : 'value';
  }
  if (token === ':') return expecting === 'colon' ? 'value' : null;
  if (expecting === 'firstName' || expecting === 'name') return token.startsWith('"') ? 'colon' : null;
  if (expecting !== 'value' && expecting !== 'firstItem') return null;
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '{' ? 'firstName' : 'firstItem';
  }
  return afterValue();
}
