import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

/** The `.env` file of the working directory. */
export interface EnvironmentFile {
  readonly path: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** Null without a file. Throws the system's error for one that cannot be read. */
export function readEnvironmentFile(folder: string): EnvironmentFile | null {
  const path = resolve(folder, '.env');
  return existsSync(path) ? { path, variables: parseEnv(readFileSync(path, 'utf8')) } : null;
}
