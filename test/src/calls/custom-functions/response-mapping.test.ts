import { describe, expect, it } from 'vitest';
import {
  isSingularPath,
  mapResponse,
  type ResponseMapping,
} from '../../../../src/calls/custom-functions/response-mapping.ts';

function mapping(...paths: string[]): ResponseMapping {
  return paths.map((path, index) => ({ json_path_to_data: path, destination_variable: `v${index}` }));
}

const DOCUMENT = JSON.stringify({
  slots: [
    { time: '19:30', free: 2 },
    { time: '21:00', free: 0 },
  ],
  ok: true,
  none: null,
});
/** Each step multiplies the number of nodes, so the evaluation never ends. */
const ENDLESS_PATH = `$${'..*'.repeat(12)}`;

describe('a response mapping', () => {
  it('returns the value of one match, the list of several, nothing for none', () => {
    expect(
      mapResponse(DOCUMENT, mapping('$.slots[0].time', '$.slots[*].time', '$.missing', '$.none', "$['ok']")),
    ).toEqual({
      mapped: [
        { variable: 'v0', value: '19:30' },
        { variable: 'v1', value: ['19:30', '21:00'] },
        { variable: 'v3', value: null },
        { variable: 'v4', value: true },
      ],
      problems: [],
    });
  });

  it('returns an empty list if a path for several matches finds none', () => {
    const paths = ['$.slots[?@.free>9].time', '$.missing[*]', '$..nothing', '$.missing', '$.slots[7]'];
    expect(mapResponse(DOCUMENT, mapping(...paths)).mapped).toEqual([
      { variable: 'v0', value: [] },
      { variable: 'v1', value: [] },
      { variable: 'v2', value: [] },
    ]);
  });

  it.each(['', '<html>', '{"a":1', 'undefined', '{"a":1}{'])('reports that «%s» is not JSON', (text) => {
    expect(mapResponse(text, mapping('$.a'))).toEqual({ mapped: [], problems: ['the response is not valid JSON'] });
  });

  it('continues after a path that does not parse', () => {
    const outcome = mapResponse(DOCUMENT, mapping('$.[', '$.ok'));
    expect(outcome.mapped).toEqual([{ variable: 'v1', value: true }]);
    expect(outcome.problems).toHaveLength(1);
  });

  it.each(['$.__proto__', '$.constructor', "$['toString']", '$.slots.length'])('finds nothing under %s', (path) => {
    expect(mapResponse(DOCUMENT, mapping(path)).mapped).toEqual([]);
  });

  it('respects its size limit', () => {
    const outcome = mapResponse(JSON.stringify({ long: 'x'.repeat(70_000), short: 1 }), mapping('$.short', '$.long'));
    expect(outcome.mapped).toEqual([{ variable: 'v0', value: 1 }]);
    expect(outcome.problems).toHaveLength(1);
  });

  it('survives an extremely nested document', () => {
    const outcome = mapResponse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`, mapping('$[0]'));
    expect(outcome.mapped.length + outcome.problems.length).toBe(1);
  });

  it.each(['$', '$.a.b', '$.a[0]', "$['a b'][-1]"])('evaluates %s in the main thread', (path) =>
    expect(isSingularPath(path)).toBe(true),
  );
  it.each(['$..a', '$[*]', '$.a[?@.b]', '$[0,1]', '$[0:9]', ENDLESS_PATH, 'a'])('evaluates %s in a worker', (path) =>
    expect(isSingularPath(path)).toBe(false),
  );
});
