import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { chatCommand } from '../../../../src/cli/commands/chat.ts';
import { LoopbackServer } from '../../../providers/loopback-server.ts';
import { type ChatScript, type OpenAiEmulator, startOpenAiEmulator } from '../../../providers/openai/chat-emulator.ts';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../../providers/openai/chat-script.ts';
import { AGENT, folderOf } from '../text-call/test-folder.ts';
import { ChatProcess } from './chat-process.ts';

let emulator: OpenAiEmulator | null = null;
afterEach(async () => {
  await emulator?.close();
  emulator = null;
});

interface ChatOptions {
  readonly agent?: unknown;
  readonly script?: ChatScript;
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** `HTTP_ALLOW_ADDRESSES`. */
  readonly allow?: string;
}

async function prepareChat({
  agent = AGENT,
  script = () => textAnswer('Very well.'),
  args = [],
  environment,
  allow,
}: ChatOptions) {
  emulator = await startOpenAiEmulator(script);
  const path = join(await folderOf({ 'agent.json': agent }), 'agent.json');
  const provider = { OPENAI_BASE_URL: emulator.baseUrl, OPENAI_API_KEY: emulator.apiKey, HTTP_ALLOW_ADDRESSES: allow };
  return { path, args: [path, ...args], environment: environment ?? provider };
}

/** Runs the command in a separate process. */
async function spawnChat(options: ChatOptions = {}): Promise<ChatProcess> {
  const { args, environment } = await prepareChat(options);
  return new ChatProcess(args, environment);
}

/** Runs the command in this process with a complete input. */
async function chat(options: ChatOptions, input = '') {
  const { path, args, environment } = await prepareChat(options);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const output = text(stdout);
  const errors = text(stderr);
  stdin.end(input);
  const status = await chatCommand(args, environment, { stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  return { path, status, output: await output, errors: await errors };
}

/** Answers extractions with `extracted`, and conversation requests with `answers` in order. */
function answering(answers: readonly ReturnType<typeof textAnswer>[], extracted = '{"party_size": null}'): ChatScript {
  let next = 0;
  return (body) => {
    if (body.response_format !== undefined) return textAnswer(extracted);
    return answers[next++] ?? textAnswer('There is no further answer.');
  };
}

describe('trunkline chat, piped', { timeout: 60_000 }, () => {
  it('prints speech, states, tool calls, variables and the end, and hangs up at the end of the input', async () => {
    const script = answering(
      [
        toolCallsAnswer([{ id: 'c1', name: 'go_to_booking', arguments: '{}' }]),
        toolCallsAnswer([{ id: 'c2', name: 'find_slot', arguments: '{"day":"monday"}' }]),
        textAnswer('That day is full. Which other one suits you?'),
      ],
      '{"party_size": 4, "slot": null}',
    );
    const process = await spawnChat({ script, args: ['--var', 'guest=Ada', '--from', '+331', '--to', '+332'] });
    process.end('A table for four on Monday\n\n/vars\n');
    expect(await process.status()).toBe(0);
    const output = process.output.replace(/(call_id|call_start_time) = ".*"/g, '$1 = …').split('\n');
    // The extraction runs in parallel with the conversation, so the position of its line is not fixed.
    expect(output.filter((line) => line !== 'var     party_size = 4')).toEqual([
      'Desk, with openai gpt-4.1-mini; type /help for commands',
      'agent   Good day.',
      'user    A table for four on Monday',
      'state   greeting → booking',
      'tool    find_slot {"day":"monday"}',
      'tool    → failed: The request failed: its address is not allowed.',
      'agent   That day is full. Which other one suits you?',
      'user    /vars',
      'var     guest = "Ada"',
      'var     from_number = "+331"',
      'var     to_number = "+332"',
      'var     call_id = …',
      'var     call_start_time = …',
      'end     caller_hangup',
      '',
    ]);
    expect(output.filter((line) => line === 'var     party_size = 4')).toHaveLength(2);
    expect(process.errors).toBe('');
  });

  it('processes every line before the end of the input, one after another', async () => {
    const { status, output } = await chat(
      { script: answering([textAnswer('One.'), textAnswer('Two.')]) },
      'first\nsecond',
    );
    expect(status).toBe(0);
    expect(output).toMatch(/first\nagent {3}One\.\nuser {4}second\nagent {3}Two\.\nend {5}caller_hangup\n$/);
  });

  it('ends when the agent hangs up, although the input continues', async () => {
    const process = await spawnChat({
      script: answering([toolCallsAnswer([{ id: 'c1', name: 'bye', arguments: '{}' }])]),
    });
    process.type('that is all\nthis line is ignored\n');
    expect(await process.status()).toBe(0);
    expect(process.output).toMatch(/agent {3}Goodbye\.\nend {5}agent_hangup\n$/);
    expect(process.output).not.toContain('this line is ignored');
  });

  it('executes the commands', async () => {
    const { status, output } = await chat(
      { script: answering([textAnswer('You pressed keys.')]) },
      '/state\n/dtmf 12#\n/dtmf x\n/silence\n/silence soon\n/what\n/hangup\nignored\n',
    );
    expect(status).toBe(0);
    expect(output).toContain('state   greeting\nstate   → booking: The caller wants a table.\n');
    expect(output).toContain('user    /dtmf 12#\nagent   You pressed keys.\n');
    expect(output).toContain('/dtmf DIGITS: expected digits');
    expect(output).toContain('user    /silence\nagent   Hello?\n');
    expect(output).toContain('/silence SECONDS: expected more than 0, at most 14400');
    expect(output).toContain('unknown command: /what');
    expect(output).toMatch(/user {4}\/hangup\nend {5}caller_hangup\n$/);
    const request = emulator?.requests.find(({ response_format }) => response_format === undefined);
    expect(request?.messages.at(-1)?.content).toContain('12');
  });

  it('ends the call for silence when no user answers', async () => {
    const { status, output } = await chat({}, '/silence 30\n');
    expect(status).toBe(0);
    expect(output).toMatch(/agent {3}Hello\?\nend {5}silence\n$/);
  });

  it('lets the callee speak first if the agent has no initial message', async () => {
    const { initial_message: _, ...agent } = AGENT;
    const { status, output } = await chat(
      { agent, script: answering([textAnswer('It is me.')]), args: ['--outbound'] },
      'Hello?\n',
    );
    expect(status).toBe(0);
    expect(output).toContain('\nuser    Hello?\nagent   It is me.\n');
  });

  it('supports every script in both directions, even if a character is split between chunks', async () => {
    const { status, output } = await chat({ script: answering([textAnswer('Grüße aus 東京 🍝')]) }, 'नमस्ते 🍝 مرحبا\n');
    expect(status).toBe(0);
    expect(output).toContain('user    नमस्ते 🍝 مرحبا\nagent   Grüße aus 東京 🍝\n');
    const request = emulator?.requests.find(({ response_format }) => response_format === undefined);
    expect(request?.messages.at(-1)?.content).toBe('नमस्ते 🍝 مرحبا');
  });

  it('runs functions over HTTP with their secrets, like a call, and does not print the secrets', async () => {
    const requests: unknown[] = [];
    const server = await LoopbackServer.listen((request, response) => {
      requests.push([request.url, request.headers['x-key']]);
      response.end('{"slot": "10:00"}');
    });
    const [greeting, booking] = AGENT.states;
    const [, transfer] = booking?.tools ?? [];
    const slots = {
      type: 'custom_function',
      name: 'find_slot',
      url: `${server.origin}/slots`,
      headers: [{ name: 'X-Key', value: 'sesame-4711 {{guest}}', secret: true }],
      parameters: [{ name: 'day' }],
      response_mapping: [{ json_path_to_data: '$.slot', destination_variable: 'slot' }],
    };
    const agent = {
      ...AGENT,
      variables: [],
      states: [greeting, { ...booking, tools: [slots, transfer], variables: [] }],
    };
    const script = answering([
      toolCallsAnswer([{ id: 'c1', name: 'go_to_booking', arguments: '{}' }]),
      toolCallsAnswer([{ id: 'c2', name: 'find_slot', arguments: '{"day":"monday"}' }]),
      textAnswer('At ten.'),
    ]);
    const chatted = await chat({ agent, script, allow: '127.0.0.1' }, 'Monday?\n');
    await server.close();
    expect(chatted.output).toContain(
      'tool    find_slot {"day":"monday"}\ntool    → 200 {"slot": "10:00"}\nvar     slot = "10:00"\nagent   At ten.\n',
    );
    expect(requests).toEqual([['/slots?day=monday', 'sesame-4711 {{guest}}']]);
    expect(chatted.output).not.toContain('sesame-4711');
    expect(JSON.stringify(emulator?.requests)).not.toContain('sesame-4711');
  });

  it('exits with 1 and without an error message when its output is closed', async () => {
    const process = await spawnChat();
    process.closeOutput();
    process.type('hello\n');
    expect(await process.status()).toBe(1);
    expect(process.errors).toBe('');
  });

  it('prints no colours', async () => {
    const { output } = await chat({}, 'hello\n');
    expect(output).not.toContain('\u001b');
  });

  it('prints why a provider failed, without the key, and exits with 1', async () => {
    const script = () => errorAnswer(401, { message: 'bad key sk-emulated-key' });
    // The second failed turn in a row ends the call.
    const { status, output } = await chat({ script }, 'hello\nhello again\n');
    expect(status).toBe(1);
    expect(output).toMatch(/\nnote {4}provider failed kind=language_model .*error="openai unauthorized \(401\): .*\n/);
    expect(output).toMatch(/\nend {5}llm_error\n$/);
    expect(output).not.toContain('sk-emulated');
  });
});

// The start of a process takes seconds on a busy machine.
describe('trunkline chat, interrupted', { timeout: 60_000 }, () => {
  const stalled: ChatScript = () => ({ steps: [{ type: 'stall' }] });

  it('hangs up at the first Ctrl-C while it waits for a line', async () => {
    const process = await spawnChat();
    await process.until('Good day.');
    process.signal('SIGINT');
    expect(await process.status()).toBe(0);
    expect(process.output).toMatch(/end {5}caller_hangup\n$/);
  });

  it('hangs up at the first Ctrl-C while it waits for a model that never answers', async () => {
    const { variables: _, ...agent } = AGENT;
    const process = await spawnChat({ agent, script: stalled });
    process.type('hello\n');
    await process.until('user    hello');
    process.signal('SIGINT');
    expect(await process.status()).toBe(0);
    expect(process.output).toMatch(/end {5}caller_hangup\n$/);
  });

  it('ends at once at the second Ctrl-C', async () => {
    // After the first Ctrl-C the command still waits for the extraction from the last words.
    const process = await spawnChat({ script: stalled });
    process.type('hello\n');
    await process.until('user    hello');
    process.signal('SIGINT');
    const again = setInterval(() => process.signal('SIGINT'), 50);
    expect(await process.status()).toBe(130);
    clearInterval(again);
  });
});

describe('trunkline chat is refused', () => {
  it('without a key, with the name of the variable', async () => {
    const { status, errors } = await chat({ environment: {} });
    expect(status).toBe(2);
    expect(errors).toBe('the language model openai needs OPENAI_API_KEY in the environment\n');
  });

  it('for an invalid key, without printing the key', async () => {
    const { status, errors } = await chat({ environment: { OPENAI_API_KEY: 'sk two words' } });
    expect(status).toBe(2);
    expect(errors).toBe('OPENAI_API_KEY: expected printable ASCII without spaces\n');
  });

  it('for an agent that the API would refuse, with the message of the API', async () => {
    const agent = { ...AGENT, initial_state_name: 'nowhere', voice: { provider: 'nobody', name: 'x' } };
    const { path, status, errors } = await chat({ agent });
    expect(status).toBe(2);
    expect(errors).toMatch(
      new RegExp(`^${path}: voice.provider: unknown provider. Known providers: .*deepgram.*espeak\\n$`),
    );
  });

  it('for an invalid agent, with every invalid field', async () => {
    const { path, status, errors } = await chat({ agent: { ...AGENT, name: 1, voce: {} } });
    expect(status).toBe(2);
    expect(errors.split('\n')).toEqual([
      `${path}: name: expected a string, got a number`,
      `${path}: voce: Unknown field`,
      '',
    ]);
  });

  it('for invalid JSON, with line and column', async () => {
    const { path, status, errors } = await chat({ agent: '{\n  "name": "Desk",\n  "states": [}\n' });
    expect(status).toBe(2);
    expect(errors).toBe(`${path}:3:14: invalid JSON: expected a value or ]\n`);
  });

  it.each([
    [['--var', 'x'], '--var x: expected NAME=VALUE'],
    [['--var', '=x'], '--var =x: expected NAME=VALUE'],
    [['--colour'], "Unknown option '--colour'"],
    [['another.json'], 'expected exactly one agent file'],
    [['--from'], 'argument missing'],
  ])('with %j', async (args, message) => {
    const { status, errors } = await chat({ args });
    expect(status).toBe(2);
    expect(errors).toContain(message);
  });
});
