import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import { parseTape, type Tape } from '../../../engine/tape/tape-file.ts';
import { validationError } from '../../api/errors/validation.ts';
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

/** Reads `agent.json` and `tape.jsonl`. Rejects with an error that names the missing or invalid file. */
export async function readTapeFolder(directory: string): Promise<TapeFolder> {
  const [agent, tape] = await Promise.all([
    readAgent(join(directory, 'agent.json')),
    readFile(join(directory, 'tape.jsonl'), 'utf8'),
  ]);
  return { agent, ...parseTape(tape) };
}

/** The agent's configuration from a tape's `agent.json`. */
async function readAgent(path: string): Promise<AgentConfiguration> {
  const read = agentConfigurationSchema.safeParse(await readJsonFile(path));
  if (!read.success) throw contentFault(path, validationError(read.error.issues).details ?? []);
  return read.data;
}

/** The folder itself if it is a tape, otherwise the tapes directly inside it, sorted by name. Rejects if it cannot be read. */
export async function tapesIn(directory: string): Promise<readonly string[]> {
  if (await isTape(directory)) return [directory];
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
