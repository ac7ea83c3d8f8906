import type { AgentConfiguration } from '../../../agent/agent-schema.ts';
import { initialStateIndex } from '../../../core/state/lifecycle-slice.ts';
import { enterState } from '../../../lifecycle/lifecycle.ts';
import { transitionFunctions } from '../../../tool-definitions/model-functions.ts';
import { action, callSetup } from './machine-setup.ts';

/**
 * The agent's own graph. Its nodes and events are ordinals (`s0`, `t0`), so no user-defined name becomes a key of the
 * machine. The names are in `meta`.
 */
export function agentGraphRegion(agent: AgentConfiguration) {
  const nodes = agent.states.map((state, index) => [`s${index}`, stateNode(agent, index, state.name)] as const);
  return callSetup.createStateConfig({
    initial: `s${initialStateIndex(agent)}`,
    on: { 'engine.conversation_over': { target: '.over' } },
    states: { ...Object.fromEntries(nodes), over: { type: 'final' } },
  });
}

function stateNode(agent: AgentConfiguration, index: number, name: string) {
  const transitions = transitionFunctions(agent.states, index).map((way) => [
    `t${way.ordinal}`,
    {
      target: `s${way.destination}`,
      actions: action((step) => enterState(step, way.destination, way.transition.condition)),
      meta: { name: way.transition.condition },
    },
  ]);
  return callSetup.createStateConfig({ meta: { name }, on: Object.fromEntries(transitions) });
}
