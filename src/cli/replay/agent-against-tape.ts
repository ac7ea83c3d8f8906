import { isDeepStrictEqual } from 'node:util';
import { type AgentConfiguration, agentConfigurationSchema, agentNameSchema } from '../../../engine/agent/agent.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { validationError } from '../../api/errors/validation.ts';
import { agentBody } from '../../api/schemas/agent.ts';
import { contentFault, readJsonFile } from '../files/json-file.ts';

/** Makes the agent that meets a tape's caller, from the one recorded there. Throws where the two make none. */
export type AgentAgainstTape = (recorded: AgentConfiguration) => AgentConfiguration;

/** A tape's `agent.json` has no name, for the name belongs to no version. */
const body = agentBody.extend({ name: agentNameSchema.optional() });

/**
 * Reads an agent as a client writes it (`POST /v1/agents`), as the API answers it, or as a tape's `agent.json` holds it. The
 * providers that it leaves out are the tape's. Rejects with a `JsonFileError` that names every fault.
 */
export async function readAgentAgainstTape(path: string): Promise<AgentAgainstTape> {
  const read = body.safeParse(await readJsonFile(path));
  if (!read.success) throw contentFault(path, validationError(read.error.issues).details ?? []);
  const { transcriber_configuration: newer, ...given } = read.data;
  if (given.transcriber !== undefined && newer !== undefined && !isDeepStrictEqual(given.transcriber, newer)) {
    const message = 'differs from transcriber: keep one of them';
    throw contentFault(path, [{ field: 'transcriber_configuration', message }]);
  }
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => key in agentConfigurationSchema.shape));
  return ({ voice, llm, transcriber }) => {
    const whole = agentConfigurationSchema.parse({
      ...own,
      voice: given.voice ?? voice,
      llm: given.llm ?? llm,
      transcriber: given.transcriber ?? newer ?? transcriber,
    });
    const { faults } = checkGraph(whole);
    if (faults.length > 0) {
      throw contentFault(
        path,
        faults.map(({ path: field, message }) => ({ field, message })),
      );
    }
    return whole;
  };
}
