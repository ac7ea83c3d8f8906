import type { AgentConfiguration } from '../agent/agent.ts';
import { callSetup } from './call-setup.ts';
import { conversationRegion } from './regions/conversation-region.ts';
import { floorRegion } from './regions/floor-region.ts';
import { lifecycleRegion } from './regions/lifecycle-region.ts';
import { presenceRegion } from './regions/presence-region.ts';

/** An agent's version made into a machine. It holds no state: all calls of the version share it. */
export interface CompiledAgent {
  readonly agent: AgentConfiguration;
  readonly machine: CallMachine;
}

export type CallMachine = ReturnType<typeof callMachine>;

/**
 * The machine of an agent: its graph beside the regions that every call has. A call of a hundred states takes some
 * milliseconds to compile, so the caller keeps the outcome for each version. It throws nothing for a configuration that
 * the schema took.
 */
export function compileAgent(agent: AgentConfiguration): CompiledAgent {
  return { agent, machine: callMachine(agent) };
}

function callMachine(agent: AgentConfiguration) {
  return callSetup.createMachine({
    id: 'call',
    type: 'parallel',
    context: ({ input }) => input,
    // The order of the regions is the order in which they act on one event: the lifecycle is last.
    states: {
      conversation: conversationRegion(agent),
      floor: floorRegion,
      presence: presenceRegion,
      lifecycle: lifecycleRegion,
    },
  });
}
