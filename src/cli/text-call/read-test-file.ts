import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parsedTestFile } from '../../conversation-test/parsed-test-file.ts';
import { type TestFile, testFileSchema } from '../../conversation-test/test-file.ts';
import { unknownNames } from '../../conversation-test/unknown-names.ts';
import { type Path, TestFileError, YamlSource } from '../../conversation-test/yaml-source.ts';
import { JsonFileError } from '../files/json-file.ts';
import { checkedAgent, readAgentFile, type TextAgent } from './agent-file.ts';
import type { TextSetup } from './text-setup.ts';

/** A valid test file. */
export interface ReadTestFile {
  readonly file: TestFile;
  readonly agent: TextAgent;
}

/**
 * Reads and validates a test file and its agent. Rejects with a `TestFileError` that lists every fault and its position, or with the
 * `JsonFileError` of the agent's file.
 */
export async function readTestFile(path: string, setup: TextSetup): Promise<ReadTestFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? 'file not found' : error.message;
    throw new TestFileError(path, [{ line: null, column: null, field: '', message }]);
  });
  const source = new YamlSource(path, text);
  const file = parsedTestFile(source, testFileSchema);
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
    // The message about a separate file names that file.
    if (!(error instanceof JsonFileError) || typeof agent === 'string') throw error;
    throw source.error(error.details.map(({ field, message }) => ({ path: ['agent', ...pathOf(field)], message })));
  }
}

/** Splits a path of the API such as `states[2].tools[0].url`. */
function pathOf(field: string | null): Path {
  const parts = field?.match(/[^.[\]]+/g) ?? [];
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
