import { withOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { AgentRepository } from '../../storage/agents/agent-repository.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';

/** Agent versions kept in memory; the least recently used one is dropped first. */
const KEPT_MAX = 500;

export interface LoadedAgent {
  readonly agentId: string;
  readonly agentVersion: number;
  /** The configuration is that of one call, which replaces fields of the version. */
  readonly isOverridden: boolean;
  /** With a reference (`secret:1`) in the place of each secret header's value: commands and tapes hold no secret. */
  readonly configuration: AgentConfiguration;
  /** The sealed values of the references. */
  readonly sealedSecrets: ReadonlyMap<string, string>;
}

type CallAgent = Pick<CallRecord, 'agentId' | 'agentVersion' | 'agentOverrides'>;

/** Agent versions, read once. A version never changes, so it is never out of date. */
export class AgentCache {
  readonly #agents: Pick<AgentRepository, 'findVersion'>;
  readonly #loaded = new Map<string, Promise<LoadedAgent>>();

  constructor(agents: Pick<AgentRepository, 'findVersion'>) {
    this.#agents = agents;
  }

  /** Rejects if the version does not exist (its agent was deleted), or the database does not answer. */
  load(agentId: string, version: number): Promise<LoadedAgent> {
    const key = `${agentId} ${version}`;
    const loaded = this.#loaded.get(key) ?? this.#read(agentId, version);
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    // A failure is not cached: the next call reads again.
    loaded.catch(() => this.#loaded.delete(key));
    const oldest = this.#loaded.keys().next();
    if (this.#loaded.size > KEPT_MAX && !oldest.done) this.#loaded.delete(oldest.value);
    return loaded;
  }

  /** The agent of a call, as the call overrides it. Also rejects for the call of a redirected number, which has none. */
  async loadOf({ agentId, agentOverrides, agentVersion }: CallAgent): Promise<LoadedAgent> {
    if (agentId === null) throw new Error('the call has no agent');
    const agent = await this.load(agentId, agentVersion);
    if (agentOverrides === null) return agent;
    return { ...agent, isOverridden: true, configuration: withOverrides(agent.configuration, agentOverrides) };
  }

  async #read(agentId: string, version: number): Promise<LoadedAgent> {
    const record = await this.#agents.findVersion(agentId, version);
    if (record === null) throw new Error(`agent ${agentId} has no version ${version}`);
    const { configuration, sealedSecrets } = withReferences(record.configuration);
    return { agentId, agentVersion: version, isOverridden: false, configuration, sealedSecrets };
  }
}

/** Replaces the values of secret headers by references. */
export function withReferences(agent: AgentConfiguration): Pick<LoadedAgent, 'configuration' | 'sealedSecrets'> {
  const sealedSecrets = new Map<string, string>();
  const referred = (value: string): string => {
    const reference = `secret:${sealedSecrets.size + 1}`;
    sealedSecrets.set(reference, value);
    return reference;
  };
  const states = agent.states.map((state) => ({
    ...state,
    tools: state.tools.map((tool) => {
      if (tool.type !== 'custom_function') return tool;
      const headers = tool.headers.map((header) =>
        header.secret ? { ...header, value: referred(header.value) } : header,
      );
      return { ...tool, headers };
    }),
  }));
  return { configuration: { ...agent, states }, sealedSecrets };
}
