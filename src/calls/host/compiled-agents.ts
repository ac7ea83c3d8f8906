import { type CompiledAgent, compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import type { HostedAgent } from './call-host.ts';

/** Agent versions kept compiled; the least recently used one is dropped first. */
const KEPT_MAX = 500;

/**
 * Agent versions, compiled once each. A version never changes. A version with the overrides of a call is compiled for
 * that call.
 */
export class CompiledAgents {
  readonly #compiled = new Map<string, CompiledAgent>();

  /** Throws for a configuration that cannot be compiled. */
  get({ agentId, agentVersion, configuration, isOverridden }: HostedAgent): CompiledAgent {
    if (isOverridden) return compileAgent(configuration);
    const key = `${agentId} ${agentVersion}`;
    const compiled = this.#compiled.get(key) ?? compileAgent(configuration);
    this.#compiled.delete(key);
    this.#compiled.set(key, compiled);
    const oldest = this.#compiled.keys().next();
    if (this.#compiled.size > KEPT_MAX && !oldest.done) this.#compiled.delete(oldest.value);
    return compiled;
  }
}
