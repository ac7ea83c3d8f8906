import { isDeepStrictEqual } from 'node:util';
import {
  type AgentConfiguration,
  agentConfigurationSchema,
  agentNameSchema,
} from '../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { validationError } from '../../api/errors/validation.ts';
import { agentBody } from '../../api/schemas/agent.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { contentFault, readJsonFile } from '../files/json-file.ts';

/** Builds the agent of a re-simulation from the recorded one. Throws if the result is invalid. */
export type AgentAgainstTape = (recorded: AgentConfiguration) => AgentConfiguration;

/** `agent.json` of a tape has no name, because the name belongs to no version. */
const body = agentBody.extend({ name: agentNameSchema.optional() });

/**
 * Reads an agent from a request body, a response of the API, or `agent.json` of a tape. Missing providers are those of the tape. Rejects
 * with a `JsonFileError` that lists every fault.
 */
export async function readAgentAgainstTape(path: string): Promise<AgentAgainstTape> {
  const read = body.safeParse(await readJsonFile(path), PLAIN_MESSAGES);
  if (!read.success) throw contentFault(path, validationError(read.error.issues).details ?? []);
  const { transcriber_configuration: newer, ...given } = read.data;
  if (given.transcriber !== undefined && newer !== undefined && !isDeepStrictEqual(given.transcriber, newer)) {
    const message = 'differs from transcriber: keep only one of them';
    throw contentFault(path, [{ field: 'transcriber_configuration', message }]);
  }
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => key in agentConfigurationSchema.shape));
  return ({ voice, llm, transcriber }) => {
    const agent = agentConfigurationSchema.parse({
      ...own,
      voice: given.voice ?? voice,
      llm: given.llm ?? llm,
      transcriber: given.transcriber ?? newer ?? transcriber,
    });
    const { faults } = checkGraph(agent);
    if (faults.length > 0) {
      throw contentFault(
        path,
        faults.map(({ path: field, message }) => ({ field, message })),
      );
    }
    return agent;
  };
}
