import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { ApiError, type ErrorDetail, notFound } from './api-error.ts';
import { type UnstorableText, unstorableTexts } from './unstorable-text.ts';

/** Maximum number of details in one response. */
const DETAILS_MAX = 100;
/** Maximum nesting of a body: deeper than any schema, far below the depth that exhausts the stack. */
const DEPTH_MAX = 64;
/**
 * Maximum number of values in a body: a faulty value costs 4 µs to 8 µs of the main thread, and a body of 1 MiB holds 500,000. An
 * agent of 100 states with ten tools of eight parameters has 35,000.
 */
const VALUES_MAX = 50_000;
/** Penalty of a union branch that does not know a given field, in faults. */
const UNKNOWN_FIELD_PENALTY = 1_000;

type Issue = z.core.$ZodIssue;

/**
 * The validator of Fastify, based on Zod schemas. Invalid path parameters return 404: no resource has them. An invalid query or
 * body returns 422 with every field.
 */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (input) => {
    const excess = excessOf(input);
    if (excess !== null) return { error: excess };
    // Invalid path parameters are unknown resources.
    const unstorable = httpPart === 'params' ? [] : unstorableTexts(input);
    if (unstorable.length > 0) return { error: unstorableError(unstorable) };
    const result = schema.safeParse(input, PLAIN_MESSAGES);
    if (result.success) return { value: result.data };
    return { error: httpPart === 'params' ? notFound('Resource') : validationError(result.error.issues) };
  };
};

/**
 * A document that is not the body of a request, checked like one.
 *
 * @throws ApiError 422 with every fault
 */
export function validated<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const excess = excessOf(input);
  if (excess !== null) throw excess;
  const unstorable = unstorableTexts(input);
  if (unstorable.length > 0) throw unstorableError(unstorable);
  const result = schema.safeParse(input, PLAIN_MESSAGES);
  if (!result.success) throw validationError(result.error.issues);
  return result.data;
}

/** 422 that names each text which the database cannot store. */
export function unstorableError(texts: readonly UnstorableText[]): ApiError {
  return invalid(texts.map(({ path, message }) => ({ field: fieldOf(path), message })));
}

export function validationError(issues: readonly Issue[]): ApiError {
  // Later ones would not be shown, and a body can have 50,000.
  return invalid(issues.slice(0, DETAILS_MAX).flatMap((issue) => detailsOf(issue, [])));
}

/** 422 with these details. Its message is the first detail. */
export function invalid(details: readonly ErrorDetail[]): ApiError {
  const [first] = details;
  const message = first === undefined ? {} : { message: `${first.field ?? 'body'}: ${first.message}` };
  return new ApiError('validation', { ...message, details: details.slice(0, DETAILS_MAX) });
}

function detailsOf(issue: Issue, parent: readonly PropertyKey[]): ErrorDetail[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: fieldOf([...path, key]), message: 'Unknown field' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [nearest = []] = [...issue.errors].sort((a, b) => distanceOf(a) - distanceOf(b));
    return nearest.flatMap((inner) => detailsOf(inner, path));
  }
  return [{ field: fieldOf(path), message: isEmptyText(issue) ? 'Required: the text is empty' : issue.message }];
}

/** «expected at least 1 character» would be harder to read. */
function isEmptyText(issue: Issue): boolean {
  return issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;
}

/** Ranks union branches: the intended branch most likely knows all given fields and has the fewest faults. */
function distanceOf(branch: readonly Issue[]): number {
  const hasUnknownField = branch.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  return branch.length + (hasUnknownField ? UNKNOWN_FIELD_PENALTY : 0);
}

/** `states[2].tools[0].url`. */
function fieldOf(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null;
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** 422 for a body that no schema has to see; null if it is within the bounds. Without recursion, because the client chooses the depth. */
function excessOf(input: unknown): ApiError | null {
  let level: unknown[] = [input];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) return invalid([{ field: null, message: `nested deeper than ${DEPTH_MAX} levels` }]);
    values += level.length;
    if (values > VALUES_MAX)
      return invalid([{ field: null, message: `more than ${VALUES_MAX.toLocaleString('en')} values` }]);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return null;
}
