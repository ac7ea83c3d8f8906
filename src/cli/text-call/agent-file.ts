import type { Registry } from '../../../adapters/registry/provider-registry.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import { type CompiledAgent, compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { checkedConfiguration } from '../../api/agents/agent-configuration.ts';
import { refuseUnknownProviders } from '../../api/agents/provider-faults.ts';
import { ApiError } from '../../api/errors/api-error.ts';
import { validationError } from '../../api/errors/validation.ts';
import { agentBody } from '../../api/schemas/agent.ts';
import { withReferences } from '../../calls/agents/agent-cache.ts';
import { knownProviders } from '../../calls/providers/configured-registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { PLAIN_MESSAGES } from '../../validation/issue-message.ts';
import { contentFault, JsonFileError, readJsonFile } from '../files/json-file.ts';

/** An agent as the API stores it, compiled for a call. */
export interface TextAgent {
  readonly name: string;
  readonly compiled: CompiledAgent;
  readonly warnings: readonly { readonly field: string; readonly message: string }[];
  /** Value of a secret header by its reference. Throws for an unknown reference. */
  readonly secret: (reference: string) => string;
}

/** Reads the body of a `POST /v1/agents`. Rejects with a `JsonFileError`. */
export async function readAgentFile(
  path: string,
  configuration: Configuration,
  registry: Registry,
): Promise<TextAgent> {
  const body = await readJsonFile(path);
  try {
    return checkedAgent(body, configuration, registry);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw contentFault(path, error.details);
  }
}

/** Validates an agent like `POST /v1/agents`, with the same defaults and messages. @throws JsonFileError */
export function checkedAgent(body: unknown, { agentDefaults }: Configuration, registry: Registry): TextAgent {
  try {
    const providers = knownProviders(registry);
    refuseUnknownProviders(body, providers);
    const parsed = agentBody.safeParse(body, PLAIN_MESSAGES);
    if (!parsed.success) throw validationError(parsed.error.issues);
    const { providerOfModel } = registry;
    // A conversation in text needs no speech provider, and a scripted one no model: keys are asked for when they are used.
    const missingSetting = () => null;
    const detectsTurns = () => null;
    const rules = { agentDefaults, providers, missingSetting, detectsTurns, providerOfModel, checkGraph };
    const { configuration, warnings } = checkedConfiguration(parsed.data, null, rules);
    return { name: parsed.data.name, warnings, ...splitSecrets(configuration) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new JsonFileError(error.message, error.details ?? [{ field: null, message: error.message }]);
  }
}

function splitSecrets(agent: AgentConfiguration): Pick<TextAgent, 'compiled' | 'secret'> {
  const { configuration, sealedSecrets } = withReferences(agent);
  const secret = (reference: string): string => {
    const value = sealedSecrets.get(reference);
    if (value === undefined) throw new Error(`the agent has no ${reference}`);
    return value;
  };
  return { compiled: compileAgent(configuration), secret };
}
