export interface JsonToken {
  /** `other`: no JSON. `string` may lack its closing quote: it ends with its line. */
  readonly kind: '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'literal' | 'other';
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const TOKEN =
  /(?<punctuation>[{}[\]:,])|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<literal>-?\d[\d.eE+-]*|[A-Za-z_][\w-]*)|(?<other>[^\s])/g;

/** The tokens of a text that is perhaps half typed. */
export function jsonTokens(content: string): readonly JsonToken[] {
  return [...content.matchAll(TOKEN)].map(({ 0: text, index: from, groups = {} }) => ({
    kind: kindOf(text, groups),
    from,
    to: from + text.length,
    text,
  }));
}

function kindOf(text: string, groups: Readonly<Record<string, string | undefined>>): JsonToken['kind'] {
  switch (text) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
      return text;
    default:
      if (groups.string !== undefined) return 'string';
      return groups.literal === undefined ? 'other' : 'literal';
  }
}

/** The value of a string or literal; undefined: it is not JSON. */
export function tokenValue({ text }: JsonToken): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
