import type { AgentConfiguration } from '../../agent/agent.ts';
import type { CallParameters } from '../../core/state/call-parameters.ts';
import { type CallMachine, callMachine } from './call-machine.ts';
import { initialContext } from './initial-context.ts';
import { type MachineTransition, machineTransition } from './machine-transition.ts';

/** The machine of an agent version. It has no state: all calls of the version share it. */
export interface CompiledAgent {
  readonly agent: AgentConfiguration;
  readonly machine: CallMachine;
  readonly transition: MachineTransition;
}

/**
 * Compiles an agent into its machine. An agent of a hundred states takes some milliseconds, so the result is kept
 * for each version. Never throws for a configuration that the schema accepts.
 */
export function compileAgent(agent: AgentConfiguration): CompiledAgent {
  const machine = callMachine(agent);
  return { agent, machine, transition: machineTransition(machine, initialContext(agent, NO_CALL)) };
}

/** Placeholder: the machine needs a context before the first call. */
const NO_CALL: CallParameters = {
  callId: '',
  agentId: '',
  agentVersion: 0,
  direction: 'inbound',
  fromNumber: null,
  toNumber: null,
  dynamicVariables: {},
  startedWallMs: 0,
  transcriberTraits: { detectsTurns: false, finalP99Ms: 0 },
};
