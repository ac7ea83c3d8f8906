import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { parseTape, type Tape } from '../../../engine/tape/tape-file.ts';
import { validationError } from '../../api/errors/validation.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { contentFault, readJsonFile } from './json-file.ts';

/** Why a folder cannot be read, by the system's error code. */
const FAULTS = new Map<string | undefined, string>([
  ['ENOENT', 'there is no such folder'],
  ['ENOTDIR', 'this is a file, and a tape is a folder'],
]);

/** The contents of a tape's folder. */
export interface TapeFolder extends Tape {
  readonly agent: AgentConfiguration;
}

/** The tape within the file of `trunkline report`. */
const reportSchema = z.object({
  report: z.number(),
  tape: z.object({ agent: z.unknown(), log: z.string() }).nullable(),
});

/** Reads `agent.json` and `tape.jsonl` of a folder, or a report. Rejects with an error that names the missing or invalid file. */
export async function readTapeFolder(directory: string): Promise<TapeFolder> {
  if (isReport(directory)) return readReport(directory);
  // One after the other: the error of a folder that is no tape always names the same file.
  const agent = await readAgent(join(directory, 'agent.json'));
  const tape = await readFile(join(directory, 'tape.jsonl'), 'utf8');
  return { agent, ...parseTape(tape) };
}

async function readReport(path: string): Promise<TapeFolder> {
  const report = reportSchema.safeParse(await readJsonFile(path));
  if (!report.success) throw new Error(`${path}: this is no file of trunkline report`);
  const { tape } = report.data;
  if (tape === null) throw new Error(`${path}: the call of this report has no tape`);
  return { agent: agentOf(tape.agent, path), ...parseTape(tape.log) };
}

function isReport(path: string): boolean {
  return path.endsWith('.json');
}

/** The agent's configuration from a tape's `agent.json`. */
async function readAgent(path: string): Promise<AgentConfiguration> {
  return agentOf(await readJsonFile(path), path);
}

function agentOf(document: unknown, path: string): AgentConfiguration {
  const read = agentConfigurationSchema.safeParse(document, PLAIN_MESSAGES);
  if (!read.success) throw contentFault(path, validationError(read.error.issues).details ?? []);
  return read.data;
}

/** The folder itself if it is a tape, and a report; otherwise the tapes directly inside it, sorted by name. Rejects if it cannot be read. */
export async function tapesIn(directory: string): Promise<readonly string[]> {
  if (isReport(directory) || (await isTape(directory))) return [directory];
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${directory}: ${FAULTS.get(error.code) ?? error.message}`);
  });
  const below = names.toSorted().map((name) => join(directory, name));
  const areTapes = await Promise.all(below.map(isTape));
  return below.filter((_, index) => areTapes[index]);
}

function isTape(directory: string): Promise<boolean> {
  return stat(join(directory, 'tape.jsonl')).then(
    (found) => found.isFile(),
    () => false,
  );
}
