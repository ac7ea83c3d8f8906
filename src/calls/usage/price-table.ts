import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';

const price = z.number().min(0).max(1_000_000);
/** `model`: prefix of the model name. Missing: every model of the provider. */
const served = { provider: z.string().min(1), model: z.string().min(1).optional() };

const priceTableSchema = z.strictObject({
  telephony: z.strictObject({ per_minute: price }).optional(),
  transcriber: z
    .array(z.strictObject({ ...served, per_minute: price }))
    .max(500)
    .default([]),
  llm: z
    .array(
      z.strictObject({
        ...served,
        per_million_input_tokens: price,
        /** Price of cached input tokens. Missing: the price of other input tokens. */
        per_million_cached_input_tokens: price.optional(),
        per_million_output_tokens: price,
      }),
    )
    .max(500)
    .default([]),
  voice: z
    .array(z.strictObject({ ...served, per_million_characters: price }))
    .max(500)
    .default([]),
});

/** Prices of the operator, in one currency. There are no built-in prices: they change, and contracts differ. */
export type PriceTable = z.output<typeof priceTableSchema>;

export const NO_PRICES: PriceTable = priceTableSchema.parse({});

/** Reads a YAML (or JSON) price file. @throws ConfigurationError for `PRICES_FILE` with the cause */
export function readPriceTable(path: string | null): PriceTable {
  if (path === null) return NO_PRICES;
  const wrong = (why: string) =>
    new ConfigurationError([{ variable: 'PRICES_FILE', expected: `a price file (${why})`, value: path }]);
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw wrong(isErrnoException(error) ? unreadable(error) : firstLine(error));
  }
  const result = priceTableSchema.safeParse(content, PLAIN_MESSAGES);
  if (result.success) return result.data;
  throw wrong(result.error.issues.map(({ message, path: at }) => `${at.join('.')}: ${message}`).join('; '));
}

/** Why the file cannot be read. */
function unreadable({ code, message }: NodeJS.ErrnoException): string {
  const reasons: { readonly [code: string]: string } = {
    ENOENT: 'the file does not exist',
    EACCES: 'this user may not read the file',
    EISDIR: 'it is a folder',
  };
  return reasons[code ?? ''] ?? message;
}

function isErrnoException(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The parser adds an excerpt of the file below it. */
function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}

/** The entry of a model: the longest matching prefix. */
export function priceOf<Entry extends { readonly provider: string; readonly model?: string | undefined }>(
  entries: readonly Entry[],
  provider: string,
  model: string | null,
): Entry | undefined {
  return entries
    .filter((entry) => entry.provider === provider && (model ?? '').startsWith(entry.model ?? ''))
    .toSorted((a, b) => (b.model ?? '').length - (a.model ?? '').length)[0];
}
