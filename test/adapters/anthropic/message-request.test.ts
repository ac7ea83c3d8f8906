import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSchemaSupported, messageRequest } from '../../../adapters/anthropic/message-request.ts';
import { messageTurns } from '../../../adapters/anthropic/message-turns.ts';
import type { ModelMessage, ModelRequest } from '../../../engine/ports/language-model.ts';
import { CONTRACT_MODEL_REQUEST } from '../contract/language-model.ts';

const SILENCE = { role: 'user', content: [{ type: 'text', text: '(The caller says nothing.)' }] };
const TOOL_TURNS: readonly ModelMessage[] = [
  {
    role: 'assistant',
    content: 'Let me look.',
    toolCalls: [
      { id: 'a', name: 'find_table', arguments: '{"people":2}' },
      { id: 'b.1', name: 'weather', arguments: '{"city":' },
    ],
  },
  { role: 'tool', toolCallId: 'a', content: 'free' },
  { role: 'tool', toolCallId: 'b.1', content: 'wrong arguments' },
];

function request(changes: Partial<ModelRequest>): ModelRequest {
  return { ...CONTRACT_MODEL_REQUEST, ...changes };
}

describe('turns of the Messages API', () => {
  it('puts results of parallel calls into one user turn, before the text', () => {
    expect(messageTurns([{ role: 'user', content: 'Hi' }, ...TOOL_TURNS, { role: 'user', content: 'Hello?' }])).toEqual(
      [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'a', name: 'find_table', input: { people: 2 } },
            { type: 'tool_use', id: 'b_1', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'free' },
            { type: 'tool_result', tool_use_id: 'b_1', content: 'wrong arguments' },
            { type: 'text', text: 'Hello?' },
          ],
        },
      ],
    );
  });

  it('adds a silent user turn to a conversation that the agent opens or ends', () => {
    expect(messageTurns([{ role: 'assistant', content: 'Good morning. ' }])).toEqual([
      SILENCE,
      { role: 'assistant', content: [{ type: 'text', text: 'Good morning.' }] },
      SILENCE,
    ]);
    expect(messageTurns([{ role: 'system', content: 'Be kind.' }])).toEqual([SILENCE]);
  });

  it('omits empty texts and joins the turns around them', () => {
    const turns = messageTurns([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: ' ' },
      { role: 'user', content: 'two' },
    ]);
    expect(turns).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'two' },
        ],
      },
    ]);
  });

  it('turns of any conversation alternate, from user to user, without empty text', () => {
    const words = fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: fc.string() });
    fc.assert(
      fc.property(fc.array(words), (messages) => {
        const turns = messageTurns(messages);
        expect([turns[0]?.role, turns.at(-1)?.role]).toEqual(['user', 'user']);
        expect(turns.every(({ role }, at) => role !== turns[at - 1]?.role)).toBe(true);
        const texts = turns.flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')));
        expect(texts.every((text) => text.trim() !== '')).toBe(true);
      }),
    );
  });
});

describe('a request to the Messages API', () => {
  it('has the types of the official SDK', () => {
    const requestBody: MessageCreateParamsStreaming = messageRequest(request({}));
    expect(requestBody).toMatchObject({
      max_tokens: 8_192,
      stream: true,
      system: [{ type: 'text', text: 'You book tables.', cache_control: { type: 'ephemeral' } }],
      tools: [
        { name: 'find_table', description: 'Finds a table.', input_schema: { type: 'object', properties: {} } },
        { name: 'weather' },
      ],
    });
    expect(requestBody.tool_choice).toBeUndefined();
  });

  it('defines functions of the history without new ones, but does not allow calls', () => {
    const body = messageRequest(
      request({ functions: [], messages: [...CONTRACT_MODEL_REQUEST.messages, ...TOOL_TURNS] }),
    );
    expect(body.tools?.map(({ name }) => name)).toEqual(['find_table', 'weather']);
    expect(body.tool_choice).toEqual({ type: 'none' });
    expect(messageRequest(request({ functions: [] })).tools).toBeUndefined();
  });

  it('sends a schema that the provider accepts, and puts any other into the prompt', () => {
    const supportedSchema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const supported = messageRequest(request({ functions: [], answerSchema: { name: 'x', schema: supportedSchema } }));
    expect(supported.output_config).toEqual({ format: { type: 'json_schema', schema: supportedSchema } });
    expect(supported.system?.[0]?.text).toBe('You book tables.');
    const unsupported = messageRequest(
      request({ functions: [], answerSchema: { name: 'x', schema: { type: 'object' } } }),
    );
    expect(unsupported.output_config).toBeUndefined();
    expect(unsupported.system?.[0]?.text).toContain('{"type":"object"}');
  });

  it.each([
    [16, true],
    [17, false],
  ])('a schema of %i alternatives is supported: %s', (count, isSupported) => {
    const fields = Array.from({ length: count }, (_, at) => [
      `f${at}`,
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ]);
    const schema = { type: 'object', properties: Object.fromEntries(fields), additionalProperties: false };
    expect(isSchemaSupported(schema)).toBe(isSupported);
  });

  it.each([
    ['claude-haiku-4-5', {}],
    ['claude-opus-4-6', {}],
    ['claude-opus-4-8', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5', { thinking: { type: 'disabled' } }],
    ['claude-haiku-5-5', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }],
    ['claude-opus-5-5', { output_config: { effort: 'low' } }],
    ['claude-fable-5-1', { output_config: { effort: 'low' } }],
    ['claude-of-next-year', {}],
  ])('requests the first word of %s as early as possible, with the option of that model', (model, options) => {
    const body = messageRequest(request({ model, temperature: 0 }));
    expect(body).not.toHaveProperty('temperature');
    const { thinking, output_config } = body;
    expect({ thinking, output_config }).toEqual({
      thinking: undefined,
      output_config: undefined,
      ...options,
    });
  });
});
