import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { JsonFileError } from '../files/json-file.ts';
import { checkedAgent, readAgentFile, type TextAgent } from '../text-call/agent-file.ts';
import type { TextSetup } from '../text-call/text-setup.ts';
import { type TestFile, testFileSchema } from './test-file.ts';
import { unknownNames } from './unknown-names.ts';
import { type Fault, type Path, TestFileError, UNKNOWN_FIELD, YamlSource } from './yaml-source.ts';

/** A valid test file. */
export interface ReadTestFile {
  readonly file: TestFile;
  readonly agent: TextAgent;
}

/** Reads and validates a test file and its agent. Rejects with a `TestFileError` that lists every fault and its position. */
export async function readTestFile(path: string, setup: TextSetup): Promise<ReadTestFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new TestFileError([`${path}: ${error.code === 'ENOENT' ? 'file not found' : error.message}`]);
  });
  const source = new YamlSource(path, text);
  const parsed = testFileSchema.safeParse(source.value);
  if (!parsed.success) throw source.error(parsed.error.issues.flatMap((issue) => faultsOf(issue, [])));
  const file = parsed.data;
  const agent = await agentFor(file, path, setup, source);
  const unknown = unknownNames(file, agent.compiled.agent);
  if (unknown.length > 0) throw source.error(unknown);
  return { file, agent };
}

async function agentFor(
  { agent }: TestFile,
  path: string,
  { configuration, registry }: TextSetup,
  source: YamlSource,
): Promise<TextAgent> {
  try {
    if (typeof agent !== 'string') return checkedAgent(agent, configuration, registry);
    return await readAgentFile(resolve(dirname(path), agent), configuration, registry);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    if (typeof agent === 'string') throw new TestFileError([error.message]);
    throw source.error(error.details.map(({ field, message }) => ({ path: ['agent', ...pathOf(field)], message })));
  }
}

/** Splits a path of the API such as `states[2].tools[0].url`. */
function pathOf(field: string | null): Path {
  const parts = field?.match(/[^.[\]]+/g) ?? [];
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

type Issue = z.core.$ZodIssue;

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
