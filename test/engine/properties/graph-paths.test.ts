import { describe, expect, it } from 'vitest';
import { adjacencyMapToArray, getAdjacencyMap, getShortestPaths, toDirectedGraph } from 'xstate/graph';
import type { AgentConfiguration } from '../../../engine/agent/agent.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import type { CallMachine } from '../../../engine/session/machine/call-machine.ts';
import { compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import type { MachineSnapshot } from '../../../engine/session/machine/machine-transition.ts';
import { transitionFunctions } from '../../../engine/tool-definitions/model-functions.ts';
import { CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { fixtureAgents } from './fixture-agents.ts';
import { refusals } from './strict-provider.ts';

/** By the agent's own description: the ways of all states, by their ordinals. */
function allWays(agent: AgentConfiguration) {
  return agent.states.flatMap((_, index) =>
    transitionFunctions(agent.states, index).map((way) => ({ from: index, ...way })),
  );
}

/** xstate's own view of the machine: each state that it finds, with the shortest way there, and what leads on. */
function walked(agent: AgentConfiguration, machine: CallMachine) {
  const moment = { atUs: 0, audioEpochUs: 0, audioMs: 0 };
  const options = {
    input: initialContext(agent, CALL_PARAMETERS),
    events: allWays(agent).map(({ ordinal }) => ({ type: `t${ordinal}` as const, moment })),
    filterEvents: (state: MachineSnapshot, event: { readonly type: string }) =>
      state._nodes.some((node) => node.ownEvents.some((type) => type === event.type)),
    serializeState: ({ value }: MachineSnapshot) => JSON.stringify(value),
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
  const ways = allWays(agent);
  const paths = walked(agent, compiled.machine);

  it('has paths by xstate’s own graph tools that take every transition', () => {
    expect(ways.length).toBeGreaterThan(5);
    const last = paths.map((path) => path.at(-1));
    expect(last.toSorted()).toEqual(ways.map(({ ordinal }) => `t${ordinal}`).toSorted());
  });

  it('is walked through every one of them by calls, each turn one transition', () => {
    const taken = new Set<string>();
    for (const path of paths) {
      const steps = path.map((type) => ways.find(({ ordinal }) => `t${ordinal}` === type));
      const call = new Simulation(
        {
          agent: {},
          model: steps.flatMap((way) => [{ toolCalls: [{ name: way?.functionName ?? '' }] }, { text: 'So.' }]),
          voice: { characterMs: 1 },
        },
        compiled,
      );
      for (const index of path.keys()) call.userSpeaks(index * 5 + 2, index * 5 + 3, 'Go on please.');
      call.runUntil(path.length * 5 + 4);
      const first = agent.states.findIndex(({ name }) => name === agent.initial_state_name);
      const rooms = [first, ...steps.map((way) => way?.destination ?? -1)];
      expect(call.journalEntries('state').map(({ to }) => to)).toEqual(rooms.map((index) => agent.states[index]?.name));
      expect(call.handle.view().state).toBe(agent.states[rooms.at(-1) ?? 0]?.name);
      const lines = call.transcript.flatMap((entry) => (entry.role === 'state_transition' ? [entry.condition] : []));
      expect(lines).toEqual(steps.map((way) => way?.transition.condition));
      for (const request of call.modelRequests) expect(refusals(request)).toEqual([]);
      // The history is kept across states.
      const spoken = call.modelRequests.at(-1)?.messages.filter(({ role }) => role === 'user');
      expect(spoken).toHaveLength(path.length);
      const prompts = call.modelRequests.map(({ messages }) => messages[0]?.content ?? '');
      for (const [step, index] of rooms.slice(1).entries()) {
        expect(prompts[step * 2 + 1]).toContain(agent.states[index]?.prompt.split('{{')[0]?.trim());
      }
      expect(call.logs.filter((line) => line.startsWith('error'))).toEqual([]);
      if (path.length < 4) expectReplay(call);
      for (const type of path) taken.add(type);
    }
    expect(taken.size).toBe(ways.length);
  }, 60_000);

  it('is drawn by xstate, with the names that its author chose', () => {
    const graph = toDirectedGraph(compiled.machine);
    expect(graph.children.map(({ stateNode }) => stateNode.key)).toEqual([
      'agentGraph',
      'turn',
      'answeringMachine',
      'presence',
      'lifecycle',
    ]);
    const nodes = graph.children[0]?.children ?? [];
    const drawn = nodes.filter(({ stateNode }) => stateNode.key !== 'over');
    expect(drawn.map(({ stateNode }) => stateNode.meta)).toEqual(agent.states.map(({ name }) => ({ name })));
    const edges = drawn.flatMap((node) =>
      node.edges.map(({ source, target, transition }) => [source.meta?.name, target.meta?.name, transition.meta?.name]),
    );
    expect(edges).toEqual(
      ways.map(({ from, transition }) => [
        agent.states[from]?.name,
        transition.destination_state_name,
        transition.condition,
      ]),
    );
    // What is drawn is data that a drawing tool can be given.
    expect(JSON.parse(JSON.stringify(graph)).children[0].children.length).toBe(agent.states.length + 1);
  });

  it('has no fault', () => {
    expect(checkGraph(agent).faults).toEqual([]);
  });
});

it('the dead end of the survey is told as a warning, and nothing else is', () => {
  const warnings = fixtureAgents().flatMap(({ name, agent }) =>
    checkGraph(agent).warnings.map(({ path, message }) => `${name} ${path}: ${message}`),
  );
  expect(warnings).toEqual([
    'survey.json states[4]: the state has no transition and no tool that ends or transfers the call',
  ]);
});
