import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { ApiError, type ErrorDetail, notFound } from './api-error.ts';

/** Details in one answer; a body that is wrong in more places is wrong enough. */
const DETAILS_MAX = 100;
/** Levels of arrays and objects in a body: deeper than any schema, far from the depth that exhausts the stack. */
const DEPTH_MAX = 64;
/** A branch without a field that was given counts as one with so many faults more. */
const FAULTS_OF_LACK = 1_000;

type Issue = z.core.$ZodIssue;

/**
 * Fastify's validator: what comes in is read by its Zod schema. A path whose parameters cannot be is a resource that does not
 * exist; a query or body that cannot be is a validation error that names every field.
 */
export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  return (input) => {
    if (depthOf(input) > DEPTH_MAX) {
      return { error: new ApiError('validation', { message: `Nested deeper than ${DEPTH_MAX} levels` }) };
    }
    const result = schema.safeParse(input);
    if (result.success) return { value: result.data };
    return { error: httpPart === 'params' ? notFound('Resource') : validationError(result.error.issues) };
  };
};

export function validationError(issues: readonly Issue[]): ApiError {
  return invalid(issues.flatMap((issue) => detailsOf(issue, [])));
}

/** 422 with these details; its message tells the first. */
export function invalid(details: readonly ErrorDetail[]): ApiError {
  const [first] = details;
  const told = first === undefined ? {} : { message: `${first.field ?? 'body'}: ${first.message}` };
  return new ApiError('validation', { ...told, details: details.slice(0, DETAILS_MAX) });
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
  return [{ field: fieldOf(path), message: issue.message }];
}

/** The branch that was meant is, most likely, one that knows all the fields, and of those the one with the fewest faults. */
function distanceOf(branch: readonly Issue[]): number {
  const lacksField = branch.some(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  return branch.length + (lacksField ? FAULTS_OF_LACK : 0);
}

/** `states[2].tools[0].url`. */
function fieldOf(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null;
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** Counts without recursion: the input's depth is the client's to choose. Stops one past the bound. */
function depthOf(input: unknown): number {
  let level: unknown[] = [input];
  for (let depth = 0; ; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0 || depth > DEPTH_MAX) return depth;
  }
}
