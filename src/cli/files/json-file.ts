import { readFile } from 'node:fs/promises';
import type { ErrorDetail } from '../../api/errors/api-error.ts';
import { jsonFault } from './json-fault.ts';

/** A file cannot be used; each line of the message says one thing, with its place. */
export class JsonFileError extends Error {
  readonly details: readonly ErrorDetail[];

  constructor(message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.name = 'JsonFileError';
    this.details = details;
  }
}

/** What a file's JSON holds is not what it must; a line each. */
export function contentFault(path: string, details: readonly ErrorDetail[]): JsonFileError {
  const lines = details.map(({ field, message }) => `${path}: ${field === null ? '' : `${field}: `}${message}`);
  return new JsonFileError(lines.join('\n'), details);
}

/** Rejects with a `JsonFileError` where the file cannot be read, or is no JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new JsonFileError(`${path}: ${error.code === 'ENOENT' ? 'file not found' : error.message}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: String(error) };
    throw new JsonFileError(`${path}:${line}:${column}: this is no JSON: expected ${expected}`);
  }
}
