import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOGUE_EVENTS } from './catalogue-events.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** A call of a log method, from the name of the log to its opening parenthesis. */
const LOG_CALL =
  /(?:\b(?:log|logger|logOf)|callLog)(?:\([^()]*\))?(?:\.(?:trace|debug|info|warn|error|fatal)|\[\w+\])\(/g;

interface LogCall {
  readonly place: string;
  /** Null if the last argument is not a string literal. */
  readonly event: string | null;
}

function logCalls(): LogCall[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const text = readFileSync(join(SRC, name), 'utf8');
      return [...text.matchAll(LOG_CALL)].map((match) => {
        const line = text.slice(0, match.index).split('\n').length;
        const args = argumentsAt(text, match.index + match[0].length);
        return { place: `src/${name}:${line}`, event: /'([^']*)',?\s*$/.exec(args)?.[1] ?? null };
      });
    });
}

/** The text between an opening parenthesis and its closing one. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  return text.slice(start, end - 1);
}

describe('the catalogue of log events', () => {
  const calls = logCalls();

  it('contains the event of every log call in the service', () => {
    expect(calls.length).toBeGreaterThan(50);
    expect(calls.filter(({ event }) => event === null || !CATALOGUE_EVENTS.includes(event))).toEqual([]);
  });

  it('contains no event that is never logged', () => {
    const used = new Set([...calls.map(({ event }) => event), 'log line masking failed']);
    expect(CATALOGUE_EVENTS.filter((event) => !used.has(event))).toEqual([]);
  });

  it('contains constant texts without a full stop', () => {
    expect(CATALOGUE_EVENTS.filter((event) => /[.{}$]|^[a-z]* ?$/.test(event))).toEqual([]);
  });
});
