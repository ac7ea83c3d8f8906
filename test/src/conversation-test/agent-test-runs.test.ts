import { afterEach, describe, expect, it } from 'vitest';
import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import type { LanguageModel, ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import type { ToolRun, ToolRunner } from '../../../engine/ports/tool-runner.ts';
import { checkedConfiguration } from '../../../src/api/agents/agent-configuration.ts';
import { agentBody } from '../../../src/api/schemas/agent.ts';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import {
  type AgentTestRun,
  AgentTestRuns,
  type AgentTestRunsOptions,
} from '../../../src/conversation-test/agent-test-runs.ts';
import { AGENT } from '../cli/text-call/test-folder.ts';

const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const SECRET = 'sealed value of a header';
/** Far beyond what a run takes on a machine under load. */
const RUN_MS_MAX = 120_000;
const TIMEOUT_MS = 150_000;

const scripted = (turns: string, more = ''): string =>
  `agent: ./agent.json\nmodel: script\n${more}conversations:\n  - name: one\n    turns:\n${turns}`;

function configurationOf(body: unknown): AgentConfiguration {
  const rules = {
    agentDefaults: loadConfiguration({}).agentDefaults,
    providers: { llm: ['openai'], voice: ['deepgram'], transcriber: ['deepgram'] },
    missingSetting: () => null,
    detectsTurns: () => false,
    providerOfModel: (_model: string, preferred: string | undefined) => preferred ?? null,
    checkGraph,
  };
  return checkedConfiguration(agentBody.parse(body), null, rules).configuration;
}

const withSecret = configurationOf({
  ...AGENT,
  states: AGENT.states.map((state) => ({
    ...state,
    tools: state.tools.map((tool) =>
      tool.type === 'custom_function'
        ? { ...tool, headers: [{ name: 'authorization', value: SECRET, secret: true }] }
        : tool,
    ),
  })),
});

/** A model with these answers, one for each request; it notes the requests. */
class ListedModel implements LanguageModel {
  readonly requests: ModelRequest[] = [];
  cancelled = 0;
  readonly #answers: readonly (readonly ModelEvent[])[];

  constructor(answers: readonly (readonly ModelEvent[])[]) {
    this.#answers = answers;
  }

  generate(request: ModelRequest, emit: (event: ModelEvent) => void) {
    const events = this.#answers[this.requests.length] ?? [];
    this.requests.push(request);
    queueMicrotask(() => {
      for (const event of events) emit(event);
    });
    return { cancel: () => void this.cancelled++ };
  }
}

const NO_TOOLS: ToolRunner = { run: () => {} };
const opened: AgentTestRuns[] = [];

function runs(options: Partial<AgentTestRunsOptions> = {}): AgentTestRuns {
  const made = new AgentTestRuns({
    model: () => new ListedModel([]),
    missingModel: () => null,
    tools: () => NO_TOOLS,
    runMsMax: RUN_MS_MAX,
    ...options,
  });
  opened.push(made);
  return made;
}

async function ran(
  content: string,
  options: Partial<AgentTestRunsOptions> = {},
  signal = new AbortController().signal,
): Promise<AgentTestRun> {
  const run = runs(options).run({ organizationId: ORGANIZATION, configuration: withSecret, content }, signal);
  if (run === null) throw new Error('another run is in progress');
  return await run;
}

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

const reply = (text: string): readonly ModelEvent[] => [
  { type: 'text', text },
  { type: 'done', finish: 'stop' },
];

describe('a test file for a stored agent', { timeout: TIMEOUT_MS }, () => {
  it('returns each conversation with its transcript, and the failed turn with its reasons', async () => {
    const passes = '      - user: Hello\n        model: [Good morning.]\n        expect: [{ text: Good morning }]\n';
    const fails =
      '  - name: two\n    turns:\n      - user: Hello\n        model: [Go away.]\n        expect: [{ text: Good }]\n';
    const { conversations, faults, reports, stopped } = await ran(scripted(passes) + fails);
    expect({ conversations, faults, stopped }).toEqual({ conversations: 2, faults: [], stopped: null });
    expect(reports).toMatchObject([
      {
        name: 'one',
        failure: null,
        transcript: [
          { kind: 'agent', text: 'Good day.' },
          { kind: 'user', text: 'Hello' },
          { kind: 'agent', text: 'Good morning.' },
        ],
      },
      { name: 'two', failure: { where: 'turn 1, user: Hello', reasons: ['expected text "Good"'] } },
    ]);
  });

  it('takes JSON as well', async () => {
    const turns = [{ user: 'Hello', model: ['Yes?'], expect: [{ text: 'Yes' }] }];
    const { reports } = await ran(JSON.stringify({ model: 'script', conversations: [{ name: 'one', turns }] }));
    expect(reports).toMatchObject([{ name: 'one', failure: null }]);
  });

  it('reports faults with line and column, and runs nothing', async () => {
    const { faults, reports } = await ran(scripted('      - usr: a\n'));
    expect(faults).toEqual([{ line: 6, column: 9, field: 'conversations[0].turns[0].usr', message: 'unknown field' }]);
    expect(reports).toEqual([]);
    expect((await ran(scripted('      - user: a\n        expect: [{ state: nowhere }]\n'))).faults).toMatchObject([
      {
        field: 'conversations[0].turns[0].expect[0].state',
        message: expect.stringContaining('has no state «nowhere»'),
      },
    ]);
  });

  it('reads no file: an agent in the file is refused, and a path to one is ignored', async () => {
    const body = 'model: script\nconversations: [{ name: one, turns: [{ user: a, model: [b] }] }]\n';
    expect((await ran(`agent: /etc/passwd\n${body}`)).reports).toMatchObject([{ name: 'one', failure: null }]);
    expect((await ran(`agent: { name: Desk }\n${body}`)).faults).toMatchObject([
      { line: 1, field: 'agent', message: 'expected no agent here: a version of the stored agent is tested' },
    ]);
  });

  it('asks the model and runs the functions of the parent process, which alone resolves secret headers', async () => {
    const call = { id: 'call_1', name: 'find_slot', arguments: '{"day":"monday"}' };
    const model = new ListedModel([
      [
        { type: 'tool_call', call: { id: 'call_0', name: 'go_to_booking', arguments: '{}' } },
        { type: 'done', finish: 'tool_calls' },
      ],
      [
        { type: 'tool_call', call },
        { type: 'done', finish: 'tool_calls' },
      ],
      reply('At ten.'),
    ]);
    const toolRuns: ToolRun[] = [];
    let secrets: ReadonlyMap<string, string> = new Map();
    const tools: AgentTestRunsOptions['tools'] = ({ sealedSecrets }) => {
      secrets = sealedSecrets;
      return {
        run(toolRun, done) {
          toolRuns.push(toolRun);
          done({ successful: true, httpStatus: 200, content: '{"slot":"10:00"}', mapped: [] });
        },
      };
    };
    const content =
      'conversations:\n  - name: one\n    turns:\n      - user: A table\n        expect: [{ tool: find_slot }, { text: At ten }]\n';
    const extraction: LanguageModel = {
      generate: (request, emit) =>
        request.answerSchema === undefined
          ? model.generate(request, emit)
          : new ListedModel([reply('{}')]).generate(request, emit),
    };
    const { reports } = await ran(content, { model: () => extraction, tools });
    expect(reports).toMatchObject([{ name: 'one', failure: null }]);
    expect(toolRuns).toMatchObject([{ tool: { name: 'find_slot' }, headers: { authorization: 'secret:1' } }]);
    expect([...secrets]).toEqual([['secret:1', SECRET]]);
  });

  it('names the setting that the language model lacks before anything runs', async () => {
    const missing = 'the language model openai needs OPENAI_API_KEY in the environment';
    const content = 'conversations: [{ name: one, turns: [{ user: a }] }]\n';
    const { faults, reports } = await ran(content, { missingModel: () => missing });
    expect(faults).toMatchObject([{ field: 'model', message: `${missing}, or model: script in the file` }]);
    expect(reports).toEqual([]);
  });
});

describe('a harmful test file', { timeout: TIMEOUT_MS }, () => {
  // Backtracks practically forever: (a+)+$ over 60 letters.
  const endless = `  - name: two\n    turns:\n      - user: Hello\n        model: ['${'a'.repeat(60)}!']\n        expect: [{ text: '/^(a+)+$/' }]\n`;
  const first = '      - user: Hello\n        model: [Hi.]\n';

  it('is stopped by the timeout', async () => {
    expect(await ran(scripted(first) + endless, { runMsMax: 1_000 })).toMatchObject({ stopped: 'too_long' });
  });

  it('returns at most as many characters as its bound', async () => {
    const outputCharactersMax = 2_000;
    const turns = `      - user: ${'b'.repeat(400)}\n        model: ['${'a'.repeat(400)}']\n`;
    const many = Array.from({ length: 3 }, (_, index) => `  - name: more ${index}\n    turns:\n${turns}`);
    const { conversations, reports, stopped } = await ran(scripted(turns) + many.join(''), { outputCharactersMax });
    expect({ conversations, stopped }).toEqual({ conversations: 4, stopped: 'too_much_output' });
    expect(reports.map(({ name }) => name)).toEqual(['one', 'more 0']);
    expect(JSON.stringify(reports).length).toBeLessThan(outputCharactersMax);
  });

  it('has its long lines shortened', async () => {
    const { reports } = await ran(scripted(`      - user: Hello\n        model: ['${'a'.repeat(5_000)}']\n`));
    expect(reports[0]?.transcript.at(-1)?.text).toMatch(/^[a ]{4000}…$/);
  });

  it('delays the next run of its organization until it has ended, and no run of another', async () => {
    const all = runs();
    const leave = new AbortController();
    const request = { organizationId: ORGANIZATION, configuration: withSecret };
    const running = all.run({ ...request, content: scripted(first) + endless }, leave.signal);
    expect(all.run({ ...request, content: scripted(first) }, leave.signal)).toBeNull();
    const other = { ...request, organizationId: 'another one', content: scripted(first) };
    expect(await all.run(other, new AbortController().signal)).toMatchObject({ stopped: null });
    leave.abort();
    expect(await running).toMatchObject({ stopped: 'failed' });
    const next = await all.run({ ...request, content: scripted(first) }, new AbortController().signal);
    expect(next).toMatchObject({ stopped: null, reports: [{ name: 'one', failure: null }] });
  });
});
