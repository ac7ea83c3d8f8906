import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import { type CallMachine, callMachine } from './call-machine.ts';
import { type CompiledMachine, compileMachine } from './compiled-machine.ts';

/** The machine of an agent version. It has no state: all calls of the version share it. */
export interface CompiledAgent {
  readonly agent: AgentConfiguration;
  /** As xstate knows it, for its graph functions. */
  readonly machine: CallMachine;
  /** As calls run it. */
  readonly compiledMachine: CompiledMachine;
}

/**
 * Compiles an agent into its machine. An agent of a hundred states takes some milliseconds, so the result is kept
 * for each version. Never throws for a configuration that the schema accepts.
 */
export function compileAgent(agent: AgentConfiguration): CompiledAgent {
  const machine = callMachine(agent);
  return { agent, machine, compiledMachine: compileMachine(machine) };
}
