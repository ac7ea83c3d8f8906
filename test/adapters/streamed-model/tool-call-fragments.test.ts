import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ToolCallFragments } from '../../../adapters/streamed-model/tool-call-fragments.ts';

const call = fc.record({ name: fc.stringMatching(/^[a-z_]{1,12}$/), arguments: fc.json() });
/** Calls, the length of a fragment, and the order in which the calls' fragments arrive. */
const answer = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 5 }),
  size: fc.integer({ min: 1, max: 9 }),
  order: fc.infiniteStream(fc.nat()),
});

it('joins interleaved fragments of parallel calls and emits the calls in the order of their start', () => {
  fc.assert(
    fc.property(answer, ({ calls, size, order }) => {
      const merged = new ToolCallFragments(() => 'never');
      const remaining = calls.map(({ name, arguments: text }, index) => {
        expect(merged.add({ index, id: `call_${index}`, name, arguments: '' })).toBe(true);
        return { index, text };
      });
      for (const pick of order) {
        const unfinished = remaining.filter(({ text }) => text !== '');
        const next = unfinished[pick % Math.max(unfinished.length, 1)];
        if (next === undefined) break;
        expect(merged.add({ index: next.index, arguments: next.text.slice(0, size) })).toBe(true);
        next.text = next.text.slice(size);
      }
      expect(merged.calls()).toEqual(calls.map((call, index) => ({ id: `call_${index}`, ...call })));
    }),
  );
});

it('makes one call of fragments that all repeat id and name', () => {
  const merged = new ToolCallFragments(() => 'never');
  for (const piece of ['{"a"', ':1}']) merged.add({ index: 0, id: 'x', name: 'f', arguments: piece });
  expect(merged.calls()).toEqual([{ id: 'x', name: 'f', arguments: '{"a":1}' }]);
});

it('keeps complete calls without ids and indexes apart, also calls of one function', () => {
  let created = 0;
  const merged = new ToolCallFragments(() => `made_${created++}`);
  const calls = [
    { name: 'weather', arguments: '{"city":"Rome"}' },
    { name: 'weather', arguments: '{"city":"Oslo"}' },
    { name: 'hang_up', arguments: '' },
    { name: 'find_table', arguments: '{}' },
  ];
  for (const call of calls) expect(merged.add({ index: 0, ...call })).toBe(true);
  expect(merged.calls()).toEqual(
    calls.map((call, nth) => ({ id: `made_${nth}`, ...call, arguments: call.arguments || '{}' })),
  );
});

it.each([undefined, null, ''])('keeps complete calls with one index apart, also without ids (%j)', (id) => {
  const merged = new ToolCallFragments(() => 'created');
  for (const city of ['Rome', 'Oslo']) merged.add({ index: 0, id, name: 'weather', arguments: `{"city":"${city}"}` });
  merged.add({ index: 0, id, name: 'find_table', arguments: '{}' });
  expect(merged.calls().map(({ name, arguments: text }) => `${name} ${text}`)).toEqual([
    'weather {"city":"Rome"}',
    'weather {"city":"Oslo"}',
    'find_table {}',
  ]);
});

it('makes one call of fragments that all repeat only the name', () => {
  const merged = new ToolCallFragments(() => 'created');
  for (const piece of ['', '{"a"', ':{}', '}', '']) merged.add({ index: 0, name: 'f', arguments: piece });
  expect(merged.calls()).toEqual([{ id: 'created', name: 'f', arguments: '{"a":{}}' }]);
});

it('rejects calls above the bound', () => {
  const merged = new ToolCallFragments(() => 'id');
  const results = Array.from({ length: 100 }, (_, index) => merged.add({ index, name: 'f' }));
  expect(results.filter((isAccepted) => isAccepted)).toHaveLength(64);
});
