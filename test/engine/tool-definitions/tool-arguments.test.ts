import { describe, expect, it } from 'vitest';
import { customFunctionSchema } from '../../../engine/agent/tool-schema.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import {
  buildToolRun,
  headerText,
  objectEntries,
  parseToolArguments,
} from '../../../engine/tool-definitions/tool-arguments.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { notices, ruleStep } from '../simulation/rule-step.ts';

const SIZE = { name: 'size', type: 'integer', description: '' } as const;
const DAY = { name: 'day', type: 'date', description: '' } as const;

describe('the arguments of a tool call', () => {
  it.each(['', ' \n', '{}'])('may be absent: «%s»', (text) => {
    expect(parseToolArguments(text, [])).toEqual({ values: new Map(), fault: null });
    expect(parseToolArguments(text, [SIZE]).fault).toBe('«size» must be given, as integer.');
  });

  it.each(['null', '[4]', '"size"', '4', '{"size":4', 'size: 4'])('must be an object, not %s', (text) => {
    for (const parameters of [[], [SIZE]]) {
      expect(parseToolArguments(text, parameters)).toEqual({
        values: new Map(),
        fault: 'The arguments were not a JSON object.',
      });
    }
  });

  it('are converted to their types, and all errors are reported together', () => {
    expect(parseToolArguments('{"size":"4","day":"2026-03-01","more":1}', [SIZE, DAY])).toEqual({
      values: new Map<string, unknown>([
        ['size', 4],
        ['day', '2026-03-01'],
      ]),
      fault: null,
    });
    expect(parseToolArguments('{"size":"many"}', [SIZE, DAY]).fault).toBe(
      '«size» must be of type integer, and is "many"; «day» must be given, as date.',
    );
  });

  it('are quoted in an error up to 100 characters', () => {
    const fault = (value: string) => parseToolArguments(JSON.stringify({ size: value }), [SIZE]).fault;
    expect(fault('x'.repeat(98))).toBe(`«size» must be of type integer, and is "${'x'.repeat(98)}".`);
    expect(fault('x'.repeat(200))).toBe(`«size» must be of type integer, and is "${'x'.repeat(99)}.`);
  });

  it('have no entries if they are no object', () => {
    expect(objectEntries({ size: 4 })).toEqual([['size', 4]]);
    for (const value of [null, 'text', 4, true, ['a']]) expect(objectEntries(value)).toEqual([]);
  });
});

describe('the request of a custom function', () => {
  const parameters = { ...CALL_PARAMETERS, dynamicVariables: { city: 'Genoa', climb: '..' } };

  /** The request of the function `lookup`, configured with these fields. */
  function buildRequest(tool: { readonly url?: string; readonly parameters?: object[]; readonly headers?: object[] }) {
    const lookup = customFunctionSchema.parse({
      type: 'custom_function',
      name: 'lookup',
      url: 'https://example.com',
      ...tool,
    });
    const step = ruleStep(initialContext(agentWith({}), parameters));
    const outcome = buildToolRun(step, lookup, new Map([['size', 4]]));
    return { outcome, notices: notices(step) };
  }

  it('logs a variable without a value in its URL, and is rejected if the path could change', () => {
    const withMissingVariable = buildRequest({ url: 'https://example.com/{{city}}?street={{street}}' });
    expect(withMissingVariable.outcome).toMatchObject({ run: { url: 'https://example.com/Genoa?street=' } });
    expect(withMissingVariable.notices).toEqual([
      { type: 'variable_missing', variable: 'street', usedIn: 'tool_url', tool: 'lookup' },
    ]);
    for (const url of ['https://example.com/{{climb}}/keys', 'https://example.com/{{street}}/keys']) {
      expect(buildRequest({ url }).outcome).toEqual({ fault: 'Its address cannot be built from these values.' });
    }
  });

  it('omits parameters without a value', () => {
    const variable = (name: string) => ({ name, value: { source: 'variable', variable: name } });
    const { outcome } = buildRequest({ parameters: [SIZE, DAY, variable('city'), variable('street')] });
    expect(outcome).toMatchObject({ run: { values: { size: 4, city: 'Genoa' } } });
    expect('run' in outcome && Object.keys(outcome.run.values)).toEqual(['size', 'city']);
  });

  it('fills its headers with variables, and leaves a secret value as it is', () => {
    const headers = [
      { name: 'X-City', value: ' {{city}}\t1 ' },
      { name: 'X-Key', value: ' {{city}} ', secret: true },
    ];
    expect(buildRequest({ headers }).outcome).toMatchObject({
      run: { headers: { 'X-City': 'Genoa 1', 'X-Key': ' {{city}} ' } },
    });
  });

  it('has single-line headers', () => {
    expect(headerText(' Ada\r\nX-Admin: 1\t\n')).toBe('Ada X-Admin: 1');
  });
});
