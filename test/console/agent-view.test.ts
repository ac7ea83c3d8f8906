import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphState, NEW_AGENT, parsedGraph } from '../../console/src/agents/document/agent-document.ts';
import { graphLayout, isRearranged, NODE_WIDTH_PX } from '../../console/src/agents/graph/graph-layout.ts';
import { overhangPx, passagesOf } from '../../console/src/agents/graph/passages.ts';

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

describe('a transition past a state', () => {
  const skipping = { from: 'first', to: 'last', label: 'The user wants to end the call' };
  const direct = { from: 'first', to: 'between', label: 'The user wants a table' };
  const rightPx = (places: ReadonlyMap<string, { readonly x: number }>, name: string) =>
    (places.get(name)?.x ?? 0) + NODE_WIDTH_PX;

  it('is drawn on the right of the state, and its label too', () => {
    const states = [
      { name: 'first', tools: [], transitions: [transitionTo('last'), transitionTo('between')] },
      { name: 'between', tools: [], transitions: [transitionTo('last')] },
      { name: 'last', tools: [], transitions: [] },
    ];
    const places = graphLayout({ initial: 'first', states });
    const passages = passagesOf(places, [skipping, direct]);
    const passage = passages.get(skipping);
    expect(passage?.railX).toBeGreaterThan(rightPx(places, 'between'));
    expect(passage?.labelX).toBeGreaterThan(passage?.railX ?? Number.POSITIVE_INFINITY);
    expect(passages.has(direct)).toBe(false);
    expect(overhangPx(places, passages.values())).toBeGreaterThanOrEqual(
      (passage?.endX ?? 0) - Math.max(rightPx(places, 'first'), rightPx(places, 'between')),
    );
  });

  it('finds room for its label beside all states of that height', () => {
    const places = new Map([
      ['first', { x: 0, y: 0 }],
      ['between', { x: 0, y: 100 }],
      ['beside', { x: NODE_WIDTH_PX + 50, y: 100 }],
      ['last', { x: 0, y: 200 }],
    ]);
    expect(passagesOf(places, [skipping]).get(skipping)?.railX).toBeGreaterThan(rightPx(places, 'beside'));
  });

  it('is drawn straight if the state was moved out of its way', () => {
    const places = new Map([
      ['first', { x: 0, y: 0 }],
      ['between', { x: 2 * NODE_WIDTH_PX, y: 100 }],
      ['last', { x: 0, y: 200 }],
    ]);
    expect(passagesOf(places, [skipping]).size).toBe(0);
    expect(overhangPx(places, [])).toBe(0);
  });
});

function transitionTo(to: string) {
  return { condition: 'The user wants it.', to };
}
