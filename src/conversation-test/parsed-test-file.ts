import type { z } from 'zod';
import { PLAIN_MESSAGES } from '../validation/issue-message.ts';
import { type Fault, type Path, UNKNOWN_FIELD, type YamlSource } from './yaml-source.ts';

type Issue = z.core.$ZodIssue;

/** @throws {TestFileError} that lists every fault and its position */
export function parsedTestFile<File>(source: YamlSource, schema: z.ZodType<File>): File {
  const parsed = schema.safeParse(source.value, PLAIN_MESSAGES);
  if (!parsed.success) throw source.error(parsed.error.issues.flatMap((issue) => faultsOf(issue, [])));
  return parsed.data;
}

function faultsOf(issue: Issue, parent: Path): Fault[] {
  const path = [...parent, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: UNKNOWN_FIELD }));
  }
  if (issue.code === 'invalid_union') {
    // A branch with a fault inside the value is the intended one.
    const nearest = issue.errors.find((errors) =>
      errors.every(({ path: at, code }) => at.length > 0 || code === 'unrecognized_keys'),
    );
    if (nearest !== undefined && nearest.length > 0) return nearest.flatMap((inner) => faultsOf(inner, path));
  }
  return [{ path, message: issue.message }];
}
