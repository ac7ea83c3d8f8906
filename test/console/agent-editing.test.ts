import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../console/src/agents/check/check-document.ts';
import { NEW_AGENT, parsedGraph } from '../../console/src/agents/document/agent-document.ts';
import { listAt, textAt, valueAt, withValue } from '../../console/src/agents/document/document-edit.ts';
import { newTool, TOOL_TYPES } from '../../console/src/agents/editing/new-tool.ts';
import {
  withNewParameter,
  withNewState,
  withNewTool,
  withNewTransition,
  withoutState,
  withPositions,
  withRenamedState,
} from '../../console/src/agents/editing/state-edit.ts';

const document: unknown = JSON.parse(NEW_AGENT);
const graphOf = (changed: unknown) => parsedGraph(JSON.stringify(changed));

describe('a change of a document', () => {
  it('changes one place and leaves the document before it as it was', () => {
    const changed = withValue(document, ['voice', 'speed'], 1.2);
    expect([valueAt(changed, ['voice', 'speed']), valueAt(document, ['voice'])]).toEqual([1.2, undefined]);
    expect(withValue(withValue(changed, ['voice', 'speed'], undefined), ['voice'], undefined)).toEqual(document);
  });

  it('is possible at any place of any JSON', () => {
    const step = fc.oneof(fc.constantFrom('states', 'name', '__proto__'), fc.nat(3));
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(step, { minLength: 1, maxLength: 4 }), (any, path) => {
        JSON.stringify(withValue(any, path, 'text'));
        expect(Object.hasOwn(Object.prototype, 'name')).toBe(false);
      }),
    );
  });
});

describe('a state that is edited by hand', () => {
  it('is added with a free name, and is the beginning if it is the only one', () => {
    const twice = withNewState(withNewState(document));
    expect(graphOf(twice)?.states.map(({ name }) => name)).toEqual(['greeting', 'goodbye', 'state', 'state_2']);
    expect(withNewState({})).toEqual({ states: [{ name: 'state', prompt: '' }], initial_state_name: 'state' });
  });

  it('keeps its transitions and the beginning when it is renamed', () => {
    const graph = graphOf(withRenamedState(withRenamedState(document, 0, 'welcome'), 1, 'end'));
    expect(graph).toMatchObject({
      initial: 'welcome',
      states: [{ name: 'welcome', transitions: [{ to: 'end' }] }, {}],
    });
  });

  it.each(['', 'greeting', 'goodbye'])('does not take the name «%s», which is empty or taken', (name) => {
    expect(withRenamedState(document, 1, name)).toEqual(document);
  });

  it('takes the transitions to it along when it is removed', () => {
    expect(graphOf(withoutState(document, 1))?.states).toEqual([{ name: 'greeting', tools: [], transitions: [] }]);
    expect(graphOf(withoutState(document, 0))?.initial).toBe('goodbye');
  });

  it('keeps its place in the drawing', () => {
    const moved = withPositions(document, new Map([['goodbye', { x: 10.4, y: 20 }]]));
    expect(graphOf(moved)?.states.map(({ position }) => position)).toEqual([undefined, { x: 10, y: 20 }]);
  });

  it('gets a tool with parameters, whose names are free and whose values the model chooses', () => {
    const tool = ['states', 0, 'tools', 0];
    const equipped = withValue(withNewTool(document, 0, 'custom_function'), [...tool, 'url'], 'https://example.com');
    const twice = withNewParameter(withNewParameter(equipped, tool), tool);
    expect(valueAt(twice, [...tool, 'parameters'])).toEqual([
      { name: 'parameter', type: 'string', description: '' },
      { name: 'parameter_2', type: 'string', description: '' },
    ]);
    expect(checkDocument(twice)).toEqual([]);
  });

  it('gets transitions and tools of every kind', () => {
    const connected = withNewTransition(document, 1, 'greeting');
    const equipped = TOOL_TYPES.reduce<unknown>((changed, type) => withNewTool(changed, 1, type), connected);
    expect(listAt(equipped, ['states', 1, 'tools']).map((tool) => textAt(tool, ['name']))).toEqual([
      'hang_up',
      'http_request',
      'hang_up_2',
      ...TOOL_TYPES.slice(2),
    ]);
  });
});

describe('the check of a document while it is edited', () => {
  it('finds nothing in a new agent', () => {
    expect(checkDocument(document)).toEqual([]);
  });

  it('names faults of the schema and of the graph by their fields, as the service does', () => {
    const short = withValue(document, ['max_call_duration'], 1);
    expect(checkDocument(short).map(({ field }) => field)).toEqual(['max_call_duration']);
    const lost = withValue(document, ['states', 0, 'transitions', 0, 'destination_state_name'], 'nowhere');
    expect(checkDocument(lost).map(({ field }) => field)).toContain('states[0].transitions[0].destination_state_name');
  });

  it('finds what is still to be written in a new tool or transition', () => {
    const unfinished = withNewTransition(withNewTool(document, 0, 'transfer_call'), 0, 'goodbye');
    const message = 'Required: the text is empty';
    expect(checkDocument(unfinished)).toEqual([
      { severity: 'fault', field: 'states[0].tools[0].destination', message },
      { severity: 'fault', field: 'states[0].transitions[1].condition', message },
    ]);
    expect(newTool('wait', 'wait')).toEqual({ type: 'wait', name: 'wait', description: '' });
  });

  it('finds no fault in a new HTTP request but that its URL is empty', () => {
    expect(checkDocument(withNewTool(document, 0, 'custom_function'))).toEqual([
      { severity: 'fault', field: 'states[0].tools[0].url', message: 'Required: the text is empty' },
    ]);
  });

  it('lists faults first, and warnings as such', () => {
    const unreachable = withNewState(document);
    const reserved = withValue(unreachable, ['variables'], [{ name: 'constructor' }]);
    const severities = checkDocument(reserved).map(({ severity }) => severity);
    expect(severities[0]).toBe('fault');
    expect(severities.at(-1)).toBe('warning');
    expect(new Set(checkDocument(unreachable).map(({ severity }) => severity))).toEqual(new Set(['warning']));
  });

  it('names a variable by its index in the document, also after a repeated built-in variable', () => {
    const variables = [
      { name: 'call_id', type: 'string' },
      { name: 'age', type: 'integer' },
      { name: 'age', type: 'string' },
    ];
    const repeated = withValue(document, ['variables'], variables);
    expect(checkDocument(repeated).map(({ field }) => field)).toEqual(['variables[2].type']);
  });

  it('finds a built-in variable that is repeated with another type, and a reserved name', () => {
    const variables = [{ name: 'call_id', type: 'integer' }, { name: 'constructor' }];
    const wrong = withValue(document, ['variables'], variables);
    expect(checkDocument(wrong).map(({ field }) => field)).toEqual(['variables[0].type', 'variables[1].name']);
  });

  it('checks the transcriber under the name that the document uses', () => {
    const faulty = { endpointing: 'never' };
    for (const name of ['transcriber', 'transcriber_configuration']) {
      const fields = checkDocument(withValue(document, [name], faulty)).map(({ field }) => field);
      expect(fields).toEqual([`${name}.endpointing`]);
    }
  });

  it('reads any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), (any) => void checkDocument(any)));
  });
});
