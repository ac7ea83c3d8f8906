import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentConfiguration, agentConfigurationSchema } from '../engine/agent/agent.ts';
import { parseTape, type Tape } from '../engine/tape/tape-lines.ts';

/** A tape as its folder holds it. */
export interface TapeFolder extends Tape {
  readonly agent: AgentConfiguration;
}

/** Reads `agent.json` and `tape.jsonl`. Rejects where one is missing or not a tape's, and says which. */
export async function readTapeFolder(directory: string): Promise<TapeFolder> {
  const [agent, tape] = await Promise.all([
    readAgentFile(join(directory, 'agent.json')),
    readFile(join(directory, 'tape.jsonl'), 'utf8'),
  ]);
  return { agent, ...parseTape(tape) };
}

/** Reads an agent's configuration as `agent.json` holds it. */
export async function readAgentFile(path: string): Promise<AgentConfiguration> {
  const text = await readFile(path, 'utf8');
  try {
    return agentConfigurationSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path} holds no agent: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The folder itself where it is a tape, else the tapes right below it, by name. Rejects where it cannot be read. */
export async function tapesIn(directory: string): Promise<readonly string[]> {
  if (await isTape(directory)) return [directory];
  const below = (await readdir(directory)).toSorted().map((name) => join(directory, name));
  const areTapes = await Promise.all(below.map(isTape));
  return below.filter((_, index) => areTapes[index]);
}

function isTape(directory: string): Promise<boolean> {
  return stat(join(directory, 'tape.jsonl')).then(
    (found) => found.isFile(),
    () => false,
  );
}
