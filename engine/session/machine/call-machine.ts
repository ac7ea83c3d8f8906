import type { AgentConfiguration } from '../../agent/agent-schema.ts';
import { agentGraphRegion } from './regions/agent-graph-region.ts';
import { answeringMachineRegion } from './regions/answering-machine-region.ts';
import { lifecycleRegion } from './regions/lifecycle-region.ts';
import { callSetup } from './regions/machine-setup.ts';
import { presenceRegion } from './regions/presence-region.ts';
import { turnRegion } from './regions/turn-region.ts';

export type CallMachine = ReturnType<typeof callMachine>;

/** The machine of an agent: its graph, and the regions of every call. */
export function callMachine(agent: AgentConfiguration) {
  return callSetup.createMachine({
    id: 'call',
    type: 'parallel',
    context: ({ input }) => input,
    // The regions process each event in this order. The lifecycle comes last.
    states: {
      agentGraph: agentGraphRegion(agent),
      turn: turnRegion,
      answeringMachine: answeringMachineRegion,
      presence: presenceRegion,
      lifecycle: lifecycleRegion,
    },
  });
}
