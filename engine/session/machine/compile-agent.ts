import type { AgentConfiguration } from '../../agent/agent.ts';
import type { CallParameters } from '../../core/call-parameters.ts';
import { type CallMachine, callMachine } from './call-machine.ts';
import { initialContext } from './initial-context.ts';
import { type MachineTransition, machineTransition } from './machine-transition.ts';

/** An agent's version made into a machine. It holds no state: all calls of the version share it. */
export interface CompiledAgent {
  readonly agent: AgentConfiguration;
  readonly machine: CallMachine;
  readonly transition: MachineTransition;
}

/**
 * The machine of an agent: its graph beside the regions that every call has. A call of a hundred states takes some
 * milliseconds to compile, so the user keeps the outcome for each version. It throws nothing for a configuration that
 * the schema took.
 */
export function compileAgent(agent: AgentConfiguration): CompiledAgent {
  const machine = callMachine(agent);
  return { agent, machine, transition: machineTransition(machine, initialContext(agent, NO_CALL)) };
}

/** No call's: the machine is tried out with it. */
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
