import { describe, expect, it } from 'vitest';
import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths, toDirectedGraph } from 'xstate/graph';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import type { CallMachine } from '../../../engine/session/machine/call-machine.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { transitionFunctions } from '../../../engine/tool-definitions/model-functions.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { fixtureAgents } from './fixture-agents.ts';
import { rejectionReasons } from './strict-provider.ts';

type XstateSnapshot = ReturnType<CallMachine['getInitialSnapshot']>;

/** The transitions of all states, from the agent's configuration. */
function allTransitions(agent: AgentConfiguration) {
  return agent.states.flatMap((_, index) =>
    transitionFunctions(agent.states, index).map((transition) => ({ from: index, ...transition })),
  );
}

/** For each transition that xstate finds in the machine: the shortest path to it, and the transition itself. */
function transitionPaths(agent: AgentConfiguration, machine: CallMachine) {
  const time = { atUs: 0, audioClock: { epochUs: 0, gaps: [] }, audioMs: 0 };
  const options = {
    input: initialContext(agent, CALL_PARAMETERS),
    events: allTransitions(agent).map(({ ordinal }) => ({ type: `t${ordinal}` as const, time })),
    filterEvents: (state: XstateSnapshot, event: { readonly type: string }) =>
      state._nodes.some((node) => node.ownEvents.some((type) => type === event.type)),
    serializeState: ({ value }: XstateSnapshot) => JSON.stringify(value),
  };
  const shortest = new Map(
    getShortestPaths(machine, options).map(({ state, steps }) => [
      JSON.stringify(state.value),
      steps.map(({ event }) => event.type).filter((type) => /^t\d+$/.test(type)),
    ]),
  );
  const edges = adjacencyMapToArray(getAdjacencyMap(machine, options));
  return edges.map(({ state, event }) => [...(shortest.get(JSON.stringify(state.value)) ?? []), event.type]);
}

describe.each(fixtureAgents())('the graph of $name', ({ agent }) => {
  const compiled = compileAgent(agent);
  const transitions = allTransitions(agent);
  const paths = transitionPaths(agent, compiled.machine);

  it('has a path to every transition, found by xstate’s graph tools', () => {
    expect(transitions.length).toBeGreaterThan(5);
    const lastTransitions = paths.map((path) => path.at(-1));
    expect(lastTransitions.toSorted()).toEqual(transitions.map(({ ordinal }) => `t${ordinal}`).toSorted());
  });

  it('is traversed along every path by calls, one transition a turn', () => {
    const takenTransitions = new Set<string>();
    // A path that begins another one is traversed by that call.
    const isBeginning = (path: readonly string[]) =>
      paths.some((other) => other.length > path.length && path.every((type, index) => other[index] === type));
    for (const path of paths.filter((path) => !isBeginning(path))) {
      const steps = path.map((type) => transitions.find(({ ordinal }) => `t${ordinal}` === type));
      const call = new Simulation(
        {
          agent: {},
          model: steps.flatMap((transition) => [
            { toolCalls: [{ name: transition?.functionName ?? '' }] },
            { text: 'So.' },
          ]),
          voice: { characterMs: 1 },
        },
        compiled,
      );
      for (const index of path.keys()) call.userSpeaks(index * 5 + 2, index * 5 + 3, 'Go on please.');
      call.runUntil(path.length * 5 + 4);
      const first = agent.states.findIndex(({ name }) => name === agent.initial_state_name);
      const stateIndexes = [first, ...steps.map((transition) => transition?.destination ?? -1)];
      expect(call.journalEntries('state').map(({ to }) => to)).toEqual(
        stateIndexes.map((index) => agent.states[index]?.name),
      );
      expect(call.handle.view().state).toBe(agent.states[stateIndexes.at(-1) ?? 0]?.name);
      const conditions = call.transcript.flatMap((entry) =>
        entry.role === 'state_transition' ? [entry.condition] : [],
      );
      expect(conditions).toEqual(steps.map((transition) => transition?.transition.condition));
      for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
      // The history is kept across states.
      const spoken = call.modelRequests.at(-1)?.messages.filter(({ role }) => role === 'user');
      expect(spoken).toHaveLength(path.length);
      const prompts = call.modelRequests.map(({ messages }) => messages[0]?.content ?? '');
      for (const [step, index] of stateIndexes.slice(1).entries()) {
        expect(prompts[step * 2 + 1]).toContain(agent.states[index]?.prompt.split('{{')[0]?.trim());
      }
      expect(call.faultNotices).toEqual([]);
      if (path.length < 4) expectReplay(call);
      for (const type of path) takenTransitions.add(type);
    }
    expect(takenTransitions.size).toBe(transitions.length);
  });

  it('becomes a directed graph in xstate with the names of states and conditions', () => {
    const graph = toDirectedGraph(compiled.machine);
    expect(graph.children.map(({ stateNode }) => stateNode.key)).toEqual([
      'agentGraph',
      'turn',
      'answeringMachine',
      'presence',
      'lifecycle',
    ]);
    const nodes = graph.children[0]?.children ?? [];
    const drawnStates = nodes.filter(({ stateNode }) => stateNode.key !== 'over');
    expect(drawnStates.map(({ stateNode }) => stateNode.meta)).toEqual(agent.states.map(({ name }) => ({ name })));
    const edges = drawnStates.flatMap((node) =>
      node.edges.map(({ source, target, transition }) => [source.meta?.name, target.meta?.name, transition.meta?.name]),
    );
    expect(edges).toEqual(
      transitions.map(({ from, transition }) => [
        agent.states[from]?.name,
        transition.destination_state_name,
        transition.condition,
      ]),
    );
    // The graph is plain data for a drawing tool.
    expect(JSON.parse(JSON.stringify(graph)).children[0].children.length).toBe(agent.states.length + 1);
  });

  it('is valid', () => {
    expect(checkGraph(agent).faults).toEqual([]);
  });
});

it('the only warning is the dead end of the survey agent', () => {
  const warnings = fixtureAgents().flatMap(({ name, agent }) =>
    checkGraph(agent).warnings.map(({ path, message }) => `${name} ${path}: ${message}`),
  );
  expect(warnings).toEqual([
    'survey.json states[4]: the state has no transition and no tool that ends or transfers the call',
  ]);
});
