import { readFile } from 'node:fs/promises';
import type { ErrorDetail } from '../../api/errors/api-error.ts';
import { jsonFault } from '../../validation/json-fault.ts';

/** An unusable file. Each line of the message states one fault and its place. */
export class JsonFileError extends Error {
  readonly details: readonly ErrorDetail[];

  constructor(message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.name = 'JsonFileError';
    this.details = details;
  }
}

/** The error for JSON with invalid content: one line per fault. */
export function contentFault(path: string, details: readonly ErrorDetail[]): JsonFileError {
  const lines = details.map(({ field, message }) => `${path}: ${field === null ? '' : `${field}: `}${message}`);
  return new JsonFileError(lines.join('\n'), details);
}

/** Rejects with a `JsonFileError` if the file cannot be read or is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new JsonFileError(`${path}: ${error.code === 'ENOENT' ? 'file not found' : error.message}`);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: String(error) };
    throw new JsonFileError(`${path}:${line}:${column}: invalid JSON: expected ${expected}`);
  }
}
