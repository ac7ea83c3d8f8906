import { type JsonToken, jsonTokens, tokenValue } from './json-tokens.ts';

/** Lines and columns count from 1. */
export interface JsonErrorPlace {
  readonly line: number;
  readonly column: number;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** The first place at which a text is not JSON; null: it is. Messages of browsers do not all name the place. */
export function jsonErrorPlace(content: string): JsonErrorPlace | null {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  for (const token of jsonTokens(content)) {
    const next = follow(expected, token, open);
    if (next === null) return placeOf(content, token.from);
    expected = next;
  }
  return open.length === 0 && expected === ', or end' ? null : placeOf(content, content.trimEnd().length);
}

/** What may follow a token; null: the token is a fault. Keeps the open brackets. */
function follow(expected: Expected, token: JsonToken, open: ('{' | '[')[]): Expected | null {
  const inner = open.at(-1);
  switch (token.kind) {
    case '{':
    case '[':
      if (expected !== 'value' && expected !== 'value or ]') return null;
      open.push(token.kind);
      return token.kind === '{' ? 'key or }' : 'value or ]';
    case '}':
      if (expected !== 'key or }' && !(expected === ', or end' && inner === '{')) return null;
      open.pop();
      return ', or end';
    case ']':
      if (expected !== 'value or ]' && !(expected === ', or end' && inner === '[')) return null;
      open.pop();
      return ', or end';
    case ':':
      return expected === ':' ? 'value' : null;
    case ',':
      if (expected !== ', or end' || inner === undefined) return null;
      return inner === '{' ? 'key' : 'value';
    case 'string':
    case 'literal':
      return followScalar(expected, token);
    case 'other':
      return null;
  }
}

function followScalar(expected: Expected, token: JsonToken): Expected | null {
  if (tokenValue(token) === undefined) return null;
  if (expected === 'value' || expected === 'value or ]') return ', or end';
  return token.kind === 'string' && (expected === 'key' || expected === 'key or }') ? ':' : null;
}

function placeOf(content: string, offset: number): JsonErrorPlace {
  const lines = content.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
