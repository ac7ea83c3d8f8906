import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NEW_AGENT, parsedGraph } from '../../console/src/agents/document/agent-document.ts';
import { graphLayout } from '../../console/src/agents/graph/graph-layout.ts';

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
