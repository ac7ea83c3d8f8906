import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type GraphState, NEW_AGENT, parsedGraph } from '../../console/src/agents/document/agent-document.ts';
import { graphLayout, isRearranged } from '../../console/src/agents/graph/graph-layout.ts';

it('reads the states of a document, and draws nothing for any other text', () => {
  expect(parsedGraph(NEW_AGENT)).toMatchObject({
    initial: 'greeting',
    states: [
      { name: 'greeting', transitions: [{ to: 'goodbye' }] },
      { name: 'goodbye', tools: ['hang_up'] },
    ],
  });
  expect(parsedGraph('{"states": [')).toBeNull();
  fc.assert(fc.property(fc.json(), (content) => void parsedGraph(content)));
});

it('places every state once, whatever its transitions name', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const transitions = fc.array(fc.record({ condition: fc.string(), to: fc.oneof(name, fc.constant('missing')) }));
  const states = fc.uniqueArray(fc.record({ name, tools: fc.constant([]), transitions }), {
    minLength: 1,
    selector: (state) => state.name,
  });
  fc.assert(
    fc.property(states, fc.option(name), (drawn, initial) => {
      const places = graphLayout({ initial, states: drawn });
      expect([...places.keys()].toSorted()).toEqual(drawn.map((state) => state.name).toSorted());
      const distinct = new Set([...places.values()].map(({ x, y }) => `${x} ${y}`));
      expect(distinct.size).toBe(drawn.length);
    }),
  );
});

it('fits the drawing again once states come, go or are laid out again, but not after one was moved by hand', () => {
  const stateOf = (name: string): GraphState => ({ name, tools: [], transitions: [] });
  const [a, b, c] = [stateOf('a'), stateOf('b'), stateOf('c')];
  const graph = { initial: 'a', states: [a, b] };
  const before = graphLayout(graph);
  const isMoved = (states: readonly GraphState[]) => {
    const changed = { initial: 'a', states };
    return isRearranged(changed, before, graphLayout(changed));
  };
  expect(isMoved([a, b])).toBe(false);
  expect(isMoved([a, b, c])).toBe(true);
  expect(isMoved([a])).toBe(true);
  expect(isMoved([a, c])).toBe(true);
  expect(isMoved([{ ...a, transitions: [{ condition: '', to: 'b' }] }, b])).toBe(true);
  const placed = (state: GraphState) => ({ ...state, position: { x: 500, y: before.get(state.name)?.y ?? 0 } });
  expect(isMoved([placed(a), placed(b)])).toBe(false);
});
