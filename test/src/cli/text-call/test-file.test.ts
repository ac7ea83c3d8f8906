import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT, folderOf, runTestFile, runTests, scripted } from './test-folder.ts';

const head = (rest: string) => `agent: ./agent.json\nmodel: script\n${rest}`;
const turn = (fields: string) => scripted(`      - ${fields}\n`);

describe('a test file is refused with the place of the fault', () => {
  it.each([
    ['an unknown field at the top level', `modle: script\n${turn('user: a')}`, '1:1: modle: unknown field'],
    ['no conversation', head('conversations: []\n'), '3:1: conversations: expected at least 1 item'],
    ['no agent', 'conversations: [{name: a, turns: [{user: a}]}]\n', '1:1: agent: expected the path of a file'],
    ['an agent that is a number', head('').replace('./agent.json', '12'), '1:1: agent: expected the path of a file'],
    ['a conversation without a name', head('conversations: [{turns: [{user: a}]}]\n'), '3:17: conversations[0].name: '],
    ['a conversation without turns', head('conversations: [{name: a}]\n'), '3:17: conversations[0].turns: '],
    [
      'an unknown field of a conversation',
      scripted('      - user: a\n', '    titel: b\n'),
      '5:5: conversations[0].titel: unknown',
    ],
    ['an unknown field of a turn', turn('usr: a'), '6:9: conversations[0].turns[0].usr: unknown field'],
    ['two actions in a turn', turn('{user: a, silence: 2}'), 'turns[0]: expected one of user, dtmf, silence, hang_up'],
    [
      'a second turn without an action',
      scripted('      - user: a\n      - expect: [{text: a}]\n'),
      '7:9: conversations[0].turns[1]: expected one of user, dtmf, silence, hang_up; only the first turn may have none',
    ],
    ['characters that are not DTMF digits', turn('dtmf: 12x'), 'dtmf: expected keys: 0-9, *, # and A-D'],
    ['DTMF digits that YAML reads as a number', turn('dtmf: 12'), 'dtmf: expected a string, got a number'],
    ['a silence of 0 s', turn('silence: 0'), 'silence: expected a number above 0'],
    ['a silence in words', turn('silence: long'), 'silence: expected a number, got a string'],
    ['a caller who does not hang up', turn('hang_up: false'), 'hang_up: expected true'],
    ['user text of spaces only', turn("user: '  '"), 'user: expected at least 1 character'],
    [
      'an answer with neither text nor call',
      turn('{user: a, model: [{arguments: {a: 1}}]}'),
      'model[0]: expected text, call, or both',
    ],
    [
      'arguments without a call',
      turn('{user: a, model: [{text: b, arguments: {}}]}'),
      'model[0].arguments: expected only together with call',
    ],
    ['a model response that is a number', turn('{user: a, model: [1]}'), 'model[0]: expected a text, or an object'],
    [
      'an unknown field of an answer',
      turn('{user: a, model: [{txt: b}]}'),
      '6:28: conversations[0].turns[0].model[0].txt: unknown field',
    ],
    [
      'an empty expectation',
      turn('{user: a, expect: [{}]}'),
      'expect[0]: expected exactly one of text, tool, state, variable',
    ],
    [
      'an invalid regular expression',
      turn('{user: a, expect: [{text: /(/}]}'),
      'expect[0].text: Invalid regular expression',
    ],
    [
      'an unknown field in an absent one',
      turn('{user: a, expect: [{absent: {txt: b}}]}'),
      'expect[0].absent.txt: unknown field',
    ],
    [
      'a state that the agent does not have',
      turn('{user: a, expect: [{state: bookin}]}'),
      'expect[0].state: the agent has no state «bookin»; it has greeting, booking',
    ],
    [
      'an absent state that the agent does not have',
      turn('{user: a, expect: [{absent: {state: x}}]}'),
      'expect[0].absent.state: the agent has no state «x»',
    ],
    [
      'a tool that the agent does not have',
      turn('{user: a, expect: [{tool: find}]}'),
      'expect[0].tool: the agent has no tool «find»; it has bye, find_slot, to_human',
    ],
    [
      'a result for a tool that is no custom function',
      `tools: {bye: {result: a}}\n${turn('user: a')}`,
      '1:9: tools.bye: the agent has no custom function of this name; it has find_slot',
    ],
    [
      'a result with an informational status',
      `tools: {find_slot: {result: a, status: 100}}\n${turn('user: a')}`,
      'tools.find_slot.status: expected a number of at least 200',
    ],
    [
      'an unknown end reason',
      scripted('      - user: a\n', '    end: bye\n'),
      'conversations[0].end: expected one of ',
    ],
    [
      'a script for a provider',
      turn('{user: a, model: [b]}').replace('model: script\n', ''),
      'model: expected only in a file with model: script',
    ],
    [
      'an extraction for a provider',
      turn('{user: a, extract: {b: 1}}').replace('model: script\n', ''),
      'extract: expected only in a file with model: script',
    ],
    ['a file that is a list', '- a\n', '1:1: expected an object, got an array'],
    ['an empty file', '', '1:1: expected an object, got null'],
    ['YAML that does not parse', 'agent: [a\nb: c', '2:1: invalid YAML'],
    ['a duplicate key', 'agent: a\nagent: b\n', '2:1: invalid YAML: Map keys must be unique'],
    ['an alias without an anchor', 'agent: *who\n', ': Unresolved alias'],
    ['two documents', `${turn('user: a')}---\nagent: b\n`, 'invalid YAML: Source contains multiple documents'],
  ])('%s', async (_case, yaml, reported) => {
    const { status, output } = await runTestFile(yaml);
    expect(output).toContain('desk.test.yaml');
    expect(output).toContain(reported);
    expect(output).toContain('0 passed, 1 file could not be run');
    expect(status).toBe(2);
  });

  it('does not expand aliases that multiply exponentially', async () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++) {
      bomb.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    }
    const { status, output } = await runTestFile(bomb.join('\n'));
    expect(output).toContain('Excessive alias count');
    expect(status).toBe(2);
  });

  it('reports a misspelt name once, without a second fault for the missing name', async () => {
    const { output } = await runTestFile(turn('{user: a, expect: [{absent: {txt: b}}], model: [{txt: c}]}'));
    expect(output.split('\n').map((line) => line.replace(/^.*turns\[0\]\./, ''))).toEqual([
      'expect[0].absent.txt: unknown field',
      'model[0].txt: unknown field',
      '0 passed, 1 file could not be run',
      '',
    ]);
  });

  it('reports every fault, from top to bottom', async () => {
    const { output } = await runTestFile(
      scripted('      - usr: a\n      - user: b\n        expct: []\n        silence: x\n'),
    );
    const places = [...output.matchAll(/desk\.test\.yaml:(\d+):/g)].map((match) => Number(match[1]));
    expect(places).toEqual([6, 8, 9]);
  });
});

describe('the agent of a test file is refused', () => {
  it('for a missing file', async () => {
    const { status, output } = await runTestFile(turn('user: a').replace('./agent.json', './agnet.json'));
    expect(output).toContain('agnet.json: file not found');
    expect(status).toBe(2);
  });

  it('with the path of the agent file and the field, as by the API', async () => {
    const { output } = await runTestFile(turn('user: a').replace('./agent.json', './desk.test.yaml'));
    expect(output).toContain('desk.test.yaml:1:1: invalid JSON: expected a value');
  });

  it('with the line in the test file if the agent is inline', async () => {
    const yaml = [
      'agent:',
      '  name: Inline',
      '  initial_state_name: one',
      '  states:',
      '    - name: one',
      '      transitions:',
      '        - { condition: c, destination_state_name: two }',
      'model: script',
      'conversations: [{ name: a, turns: [{ user: a }] }]',
      '',
    ].join('\n');
    const { status, output } = await runTestFile(yaml);
    expect(output).toContain(
      'desk.test.yaml:7:27: agent.states[0].transitions[0].destination_state_name: no state has this name',
    );
    expect(status).toBe(2);
  });
});

describe('trunkline test', () => {
  it('prints its usage without a file', async () => {
    expect(await runTests([])).toEqual({ status: 2, output: expect.stringContaining('trunkline test FILE…') });
  });

  it('continues after a file that it cannot run, and reports it at the end', async () => {
    const { status, output } = await runTests(['nowhere.yaml', 'fixtures/agents/booking/booking.test.yaml']);
    expect(output).toMatch(/^nowhere\.yaml: file not found\n/);
    expect(output).toMatch(/4 passed, 1 file could not be run\n$/);
    expect(status).toBe(2);
  });

  it('runs the example without a provider key', async () => {
    const { status, output } = await runTests(['fixtures/agents/booking/booking.test.yaml']);
    expect(output).toMatch(/\n4 passed\n$/);
    expect(status).toBe(0);
  });

  it('runs the example of the documentation', async () => {
    const page = await readFile('docs/text-mode.md', 'utf8');
    const yaml = /```yaml\n(agent: [\s\S]*?)```/.exec(page)?.[1] ?? '';
    const folder = await folderOf({
      'agent.json': await readFile('fixtures/agents/booking/agent.json', 'utf8'),
      'page.test.yaml': yaml,
    });
    const { status, output } = await runTests([join(folder, 'page.test.yaml')]);
    expect(output).toContain('✓ books a table');
    expect(status).toBe(0);
  });

  it('reports the missing key if the provider is the model', async () => {
    const { status, output } = await runTestFile(turn('user: a').replace('model: script\n', ''));
    expect(output).toContain('needs OPENAI_API_KEY in the environment, or model: script in the file');
    expect(status).toBe(2);
  });

  it('reports an invalid environment variable', async () => {
    const { status, output } = await runTestFile(turn('user: a'), { HTTP_PORT: 'many' });
    expect(output).toContain('HTTP_PORT: expected a port from 0 to 65535');
    expect(status).toBe(2);
  });

  it('accepts an inline agent', async () => {
    const yaml = `agent: ${JSON.stringify(AGENT)}\nmodel: script\nconversations: [{ name: a, turns: [{ user: a, model: [b] }] }]\n`;
    expect((await runTestFile(yaml)).status).toBe(0);
  });
});
