import { describe, expect, it } from 'vitest';
import { getShortestPaths } from 'xstate/graph';
import { compileAgent } from '../../../../engine/session/machine/compile-agent.ts';
import { initialContext } from '../../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../../simulation/agent-with.ts';

const NAMES = ['__proto__', 'a.b', '#x', '`', '😀'];
const AGENT = agentWith({
  initial_state_name: '__proto__',
  states: NAMES.map((name, index) => ({
    name,
    transitions: [{ condition: 'next', destination_state_name: NAMES[(index + 1) % NAMES.length] ?? '' }],
  })),
});

describe('a compiled agent', () => {
  it('has a node for each state, with ordinals as keys and the names in meta', () => {
    const { machine } = compileAgent(AGENT);
    const nodes = machine.root.states.agentGraph?.states ?? {};
    expect(Object.keys(nodes)).toEqual(['s0', 's1', 's2', 's3', 's4', 'over']);
    expect(NAMES.map((_, index) => nodes[`s${index}`]?.meta)).toEqual(NAMES.map((name) => ({ name })));
  });

  it('can be traversed by xstate’s graph tools through every transition', () => {
    const { machine } = compileAgent(AGENT);
    const time = { atUs: 0, audioClock: { epochUs: 0, gaps: [] }, audioMs: 0 };
    const paths = getShortestPaths(machine, {
      input: initialContext(AGENT, CALL_PARAMETERS),
      events: NAMES.map((_, index) => ({ type: `t${index}` as const, time })),
      serializeState: ({ value }) => JSON.stringify(value),
    });
    const ends = paths.map(({ state }) => state.context.stateIndex);
    expect(ends.toSorted()).toEqual([0, 1, 2, 3, 4]);
  });
});
