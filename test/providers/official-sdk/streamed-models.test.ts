import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnthropicEmulator, startAnthropicEmulator } from '../anthropic/messages-emulator.ts';
import { messageCalls, messageText } from '../anthropic/messages-script.ts';
import { type ResponsesEmulator, startResponsesEmulator } from '../openai/responses-emulator.ts';
import { responseCalls, responseText } from '../openai/responses-script.ts';

const CALLS = [
  { id: 'call_1', name: 'book', arguments: '{"people":2}' },
  { id: 'call_2', name: 'weather', arguments: '{"city":"Zürich"}' },
];

/** The providers' own SDKs are the clients: they prove that the emulators follow the real protocols. */
describe('the Responses emulator serves the official SDK', () => {
  let emulator: ResponsesEmulator;

  afterEach(() => emulator.close());

  function client(apiKey = emulator.apiKey): OpenAI {
    return new OpenAI({ apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
  }

  const body = { model: 'gpt-4.1', input: [{ role: 'user', content: 'Hello' }] } as const;

  it('streams a text with its usage, and parallel tool calls', async () => {
    emulator = await startResponsesEmulator((_body, nth) =>
      nth === 0 ? responseText('What may I do for you?') : responseCalls(CALLS, 'Let me look.'),
    );
    let text = '';
    const stream = client().responses.stream({ ...body, input: [...body.input] });
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const response = await stream.finalResponse();
    expect(text).toBe('What may I do for you?');
    expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 6 });
    const calls: unknown[] = [];
    for await (const event of await client().responses.create({ ...body, input: [...body.input], stream: true })) {
      if (event.type !== 'response.output_item.done' || event.item.type !== 'function_call') continue;
      calls.push({ id: event.item.call_id, name: event.item.name, arguments: event.item.arguments });
    }
    expect(calls).toEqual(CALLS);
  });

  it('refuses a wrong key and a function call without its output', async () => {
    emulator = await startResponsesEmulator(() => responseText('never'));
    const request = { model: body.model, input: [...body.input], stream: true as const };
    await expect(client('wrong').responses.create(request)).rejects.toMatchObject({ status: 401 });
    const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' } as const;
    const withoutOutput = client().responses.create({ ...request, input: [...body.input, call] });
    await expect(withoutOutput).rejects.toMatchObject({ status: 400 });
    expect(emulator.requests).toHaveLength(0);
  });
});

describe('the Anthropic emulator serves the official SDK', () => {
  let emulator: AnthropicEmulator;

  afterEach(() => emulator.close());

  function client(apiKey = emulator.apiKey): Anthropic {
    return new Anthropic({ apiKey, baseURL: emulator.baseUrl, maxRetries: 0 });
  }

  const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] } as const;

  it('streams a text with its usage, and parallel tool calls', async () => {
    emulator = await startAnthropicEmulator((_body, nth) =>
      nth === 0 ? messageText('What may I do for you?') : messageCalls(CALLS, 'Let me look.'),
    );
    const request = { ...body, messages: [...body.messages] };
    const first = client().messages.stream(request);
    expect(await first.finalText()).toBe('What may I do for you?');
    expect((await first.finalMessage()).usage).toMatchObject({ input_tokens: 10, output_tokens: 6 });
    const second = await client().messages.stream(request).finalMessage();
    expect(second.stop_reason).toBe('tool_use');
    expect(second.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      ...CALLS.map(({ id, name, arguments: text }) => ({ type: 'tool_use', id, name, input: JSON.parse(text) })),
    ]);
  });

  it.each([
    ['the assistant first', [{ role: 'assistant', content: 'Hello' }]],
    [
      'the assistant last',
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'I am' },
      ],
    ],
    ['an empty text', [{ role: 'user', content: [{ type: 'text', text: '' }] }]],
    [
      'a call without its result',
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: 'And?' },
      ],
    ],
  ] as const)('refuses %s', async (_name, messages) => {
    emulator = await startAnthropicEmulator(() => messageText('never'));
    const request = client().messages.create({
      ...body,
      messages: JSON.parse(JSON.stringify(messages)),
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      stream: true,
    });
    await expect(request).rejects.toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
    expect(emulator.requests).toHaveLength(0);
  });

  it('refuses a wrong key', async () => {
    emulator = await startAnthropicEmulator(() => messageText('never'));
    const request = client('wrong').messages.create({ ...body, messages: [...body.messages], stream: true });
    await expect(request).rejects.toMatchObject({ status: 401 });
  });
});
