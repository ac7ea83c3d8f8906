import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { malformedLines } from './environment-lines.ts';

/** The `.env` file of the working directory. */
export interface EnvironmentFile {
  readonly path: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Numbers, from 1, of lines that were skipped or read otherwise than they look. */
  readonly malformedLines: readonly number[];
}

/** Null without a file. Throws for one that cannot be read or is not UTF-8, as one that PowerShell wrote with `>`. */
export function readEnvironmentFile(folder: string): EnvironmentFile | null {
  const path = resolve(folder, '.env');
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  // Text has no NUL, but UTF-16 has one in every Latin letter.
  if (!isUtf8(bytes) || bytes.includes(0)) throw new Error('the file is not UTF-8 text; save it as UTF-8');
  // After `NAME=` with trailing spaces `parseEnv` takes the next line as the value.
  const text = new TextDecoder().decode(bytes).replaceAll(/=[ \t]+$/gm, '=');
  return { path, variables: parseEnv(text), malformedLines: malformedLines(text) };
}
