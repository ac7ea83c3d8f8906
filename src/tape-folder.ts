import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentConfiguration, agentConfigurationSchema } from '../engine/agent/agent.ts';
import { parseTape, type Tape } from '../engine/tape/tape-lines.ts';

/** A tape as its folder holds it. */
export interface TapeFolder extends Tape {
  readonly agent: AgentConfiguration;
}

/** Reads `agent.json` and `tape.jsonl`. Rejects where one is missing or not a tape's, and says which. */
export async function readTapeFolder(directory: string): Promise<TapeFolder> {
  const [agent, tape] = await Promise.all(
    ['agent.json', 'tape.jsonl'].map((name) => readFile(join(directory, name), 'utf8')),
  );
  return { agent: agentConfigurationSchema.parse(JSON.parse(agent ?? '')), ...parseTape(tape ?? '') };
}
