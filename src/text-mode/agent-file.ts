import { readFile } from 'node:fs/promises';
import type { Registry } from '../../adapters/registry.ts';
import type { AgentConfiguration } from '../../engine/agent/agent.ts';
import { checkGraph } from '../../engine/agent/graph-check.ts';
import { type CompiledAgent, compileAgent } from '../../engine/call/compile-agent.ts';
import { checkedConfiguration } from '../api/agent-configuration.ts';
import { ApiError, type ErrorDetail } from '../api/api-error.ts';
import { agentBody } from '../api/schemas/agent.ts';
import { validationError } from '../api/validation.ts';
import { withReferences } from '../calls/agent-cache.ts';
import type { Configuration } from '../configuration.ts';
import { knownProviders } from '../provider-registry.ts';
import { jsonFault } from './json-fault.ts';

/** An agent as the API would have stored it, and as a call needs it. */
export interface TextAgent {
  readonly name: string;
  readonly compiled: CompiledAgent;
  readonly warnings: readonly { readonly field: string; readonly message: string }[];
  /** The value behind the reference of a secret header; throws where there is none. */
  readonly secret: (reference: string) => string;
}

/** The file or the agent in it cannot be used; each line of the message says one thing, with its place. */
export class AgentFileError extends Error {
  readonly details: readonly ErrorDetail[];

  constructor(message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.name = 'AgentFileError';
    this.details = details;
  }
}

/** Reads the body of a `POST /v1/agents`. Rejects with an `AgentFileError`. */
export async function readAgentFile(
  path: string,
  configuration: Configuration,
  registry: Registry,
): Promise<TextAgent> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new AgentFileError(`${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`);
  });
  try {
    return agentOf(parsed(path, text), configuration, registry);
  } catch (error) {
    if (!(error instanceof AgentFileError) || error.details.length === 0) throw error;
    const lines = error.details.map(({ field, message }) => `${path}: ${field === null ? '' : `${field}: `}${message}`);
    throw new AgentFileError(lines.join('\n'), error.details);
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: String(error) };
    throw new AgentFileError(`${path}:${line}:${column}: this is no JSON: expected ${expected}`);
  }
}

/** Checks what `POST /v1/agents` checks, with its defaults and its words. Throws an `AgentFileError`. */
export function agentOf(body: unknown, { agentDefaults }: Configuration, registry: Registry): TextAgent {
  try {
    const parsed = agentBody.safeParse(body);
    if (!parsed.success) throw validationError(parsed.error.issues);
    const { providerOfModel } = registry;
    const rules = { agentDefaults, providers: knownProviders(registry), providerOfModel, checkGraph };
    const { configuration, warnings } = checkedConfiguration(parsed.data, rules);
    return { name: parsed.data.name, warnings, ...secretsApart(configuration) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new AgentFileError(error.message, error.details ?? [{ field: null, message: error.message }]);
  }
}

function secretsApart(agent: AgentConfiguration): Pick<TextAgent, 'compiled' | 'secret'> {
  const { configuration, sealedSecrets } = withReferences(agent);
  const secret = (reference: string): string => {
    const value = sealedSecrets.get(reference);
    if (value === undefined) throw new Error(`the agent has no ${reference}`);
    return value;
  };
  return { compiled: compileAgent(configuration), secret };
}
