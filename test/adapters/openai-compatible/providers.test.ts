import { describe, expect, it } from 'vitest';
import { createChatCompletions } from '../../../adapters/openai/chat-completions.ts';
import { chatRequest } from '../../../adapters/openai/chat-request.ts';
import { GEMINI_DIALECT, GROQ_DIALECT } from '../../../adapters/openai-compatible/dialects.ts';
import { mistralMessages } from '../../../adapters/openai-compatible/mistral-messages.ts';
import { COMPATIBLE_PROVIDERS } from '../../../adapters/openai-compatible/providers.ts';
import type { ModelMessage, ModelRequest } from '../../../engine/ports/language-model.ts';
import { type ChatBody, type ChatServerQuirks, startOpenAiEmulator } from '../../providers/openai/chat-emulator.ts';
import {
  DONE,
  delta,
  doubledAnswer,
  errorAnswer,
  textAnswer,
  toolCallsAnswer,
} from '../../providers/openai/chat-script.ts';
import { CONTRACT_MODEL_REQUEST, CONTRACT_TOOL_CALLS } from '../contract/language-model.ts';
import { ModelRig } from '../contract/model-rig.ts';
import { type StreamedModelSubject, streamedModelContract } from '../contract/streamed-model.ts';

/** How each server differs from OpenAI, according to its documentation and to bug reports. */
const QUIRKS: Readonly<Record<string, ChatServerQuirks>> = {
  groq: { fault: (body) => (body.response_format ? '`response_format` does not support streaming' : null) },
  mistral: { fault: mistralFault },
  azure: { path: '/v1/openai/v1/chat/completions', keyHeader: 'api-key' },
  'openai-compatible': { fault: (body) => (body.response_format?.type === 'json_schema' ? 'unknown type' : null) },
};

function mistralFault(body: ChatBody): string | null {
  if (body.stream_options !== undefined) return 'extra_forbidden: stream_options';
  const ids = body.messages.flatMap(({ tool_call_id: id, tool_calls: calls = [] }) => [
    ...(id === undefined ? [] : [id]),
    ...calls.map((call) => call.id),
  ]);
  if (!ids.every((id) => /^[A-Za-z0-9]{9}$/.test(id))) return 'Tool call id must be a-z, A-Z, 0-9, with a length of 9.';
  const hasUserAfterTool = body.messages.some(
    ({ role }, at) => role === 'user' && body.messages[at - 1]?.role === 'tool',
  );
  return hasUserAfterTool ? "Unexpected role 'user' after role 'tool'" : null;
}

function subjectOf(name: string): StreamedModelSubject {
  const provider = COMPATIBLE_PROVIDERS.find((candidate) => candidate.name === name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  const dialect = provider.dialect(() => undefined);
  return {
    start: (answer) => startOpenAiEmulator(() => answer, QUIRKS[name]),
    create: (access, deadlines) => createChatCompletions({ ...access, provider: name, dialect }, deadlines),
    answers: {
      text: textAnswer('A table for two.'),
      doubled: doubledAnswer('A table for two.'),
      tools: toolCallsAnswer(CONTRACT_TOOL_CALLS, 'Let me look.'),
      firstChunks: [delta({ role: 'assistant', content: 'A table' })],
      malformed: [{ type: 'raw', text: 'data: {"choices":[{"del\n\n' }],
      refused: (status, headers) => errorAnswer(status, { message: 'key sk-emulated-key' }, headers),
    },
  };
}

for (const { name } of COMPATIBLE_PROVIDERS) streamedModelContract(name, subjectOf(name));

const INTERRUPTED: readonly ModelMessage[] = [
  { role: 'user', content: 'A table, please.' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{}' }] },
  { role: 'tool', toolCallId: 'call_1', content: 'sunny' },
  { role: 'user', content: 'Hello?' },
];
const SCHEMA = { type: 'object', properties: {}, required: [], additionalProperties: false };
const JSON_REQUEST: ModelRequest = {
  ...CONTRACT_MODEL_REQUEST,
  functions: [],
  answerSchema: { name: 'variables', schema: SCHEMA },
};

describe.each(COMPATIBLE_PROVIDERS)('$name', ({ name }) => {
  const rig = new ModelRig(subjectOf(name));

  it('accepts tool calls of another provider, and a user who interrupted the response', async () => {
    const log = await rig.ask(textAnswer('Yes.'), { ...CONTRACT_MODEL_REQUEST, messages: INTERRUPTED });
    expect(log.events.at(-1)).toMatchObject({ type: 'done', finish: 'stop' });
  });

  it('requests JSON in a form that the provider accepts', async () => {
    const called = toolCallsAnswer([{ id: 'call_1', name: 'variables', arguments: '{"name":"Ada"}' }]);
    const log = await rig.ask(name === 'groq' ? called : textAnswer('{"name":"Ada"}'), JSON_REQUEST);
    expect(log.events).toMatchObject([
      { type: 'text', text: '{"name":"Ada"}' },
      { type: 'done', finish: 'stop' },
    ]);
    expect(JSON.stringify(rig.requests[0])).toContain('additionalProperties');
  });
});

describe('dialects', () => {
  const gemini = new ModelRig(subjectOf('gemini'));
  const groq = new ModelRig(subjectOf('groq'));
  const mistral = new ModelRig(subjectOf('mistral'));

  it('Azure names the deployment in the path if an API version is set', () => {
    const azure = COMPATIBLE_PROVIDERS.find(({ name }) => name === 'azure');
    const pathOf = (version: string | undefined) => azure?.dialect(() => version).path('my model');
    expect(pathOf('2024-10-21')).toBe('/openai/deployments/my%20model/chat/completions?api-version=2024-10-21');
    expect(pathOf(undefined)).toBe('/openai/v1/chat/completions');
    expect(azure?.dialect(() => undefined).authorization('k')).toEqual({ 'api-key': 'k' });
  });

  it('requires Groq to call a function whose parameters are the JSON', () => {
    expect(chatRequest(JSON_REQUEST, GROQ_DIALECT)).toMatchObject({
      tools: [{ type: 'function', function: { name: 'variables', parameters: SCHEMA } }],
      tool_choice: { type: 'function', function: { name: 'variables' } },
    });
  });

  it('reads the usage of Groq from its own field', async () => {
    const [finish] = [delta({}, 'stop')];
    const json = { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } };
    const log = await groq.ask({ steps: [delta({ content: 'Yes.' }), finish, { type: 'chunk', json }, DONE] });
    expect(log.events.at(-1)).toEqual({ type: 'done', finish: 'stop', usage: { inputTokens: 7, outputTokens: 2 } });
  });

  it('emits the text of Mistral’s list of thoughts and text', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
      { type: 'text', text: 'Yes.' },
    ];
    const log = await mistral.ask({ steps: [delta({ content }), delta({}, 'stop'), DONE] });
    expect(log.events).toMatchObject([{ type: 'text', text: 'Yes.' }, { type: 'done' }]);
  });

  it('keeps valid ids for Mistral, and changes invalid ids of a call and its result to the same id', () => {
    const [, call, result, assistant, user] = mistralMessages(INTERRUPTED);
    const id = call?.role === 'assistant' ? call.toolCalls?.[0]?.id : undefined;
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(result).toEqual({ role: 'tool', toolCallId: id, content: 'sunny' });
    expect([assistant?.role, user?.role]).toEqual(['assistant', 'user']);
    const validResult: ModelMessage = { role: 'tool', toolCallId: 'abcDEF123', content: '' };
    expect(mistralMessages([validResult])).toEqual([validResult]);
  });

  it.each([
    ['gemini-2.0-flash', undefined, undefined],
    ['gemini-2.5-flash', 'none', undefined],
    ['gemini-2.5-pro', 'low', undefined],
    ['gemini-3-flash', 'low', 'skip_thought_signature_validator'],
  ])('requests the least thinking of %s', (model, effort, signature) => {
    const body = chatRequest({ ...CONTRACT_MODEL_REQUEST, model, messages: INTERRUPTED }, GEMINI_DIALECT);
    expect(body.reasoning_effort).toBe(effort);
    const [call] = body.messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
    expect(call?.extra_content).toEqual(
      signature === undefined ? undefined : { google: { thought_signature: signature } },
    );
  });

  it('reads the errors of Gemini, which are in an array', async () => {
    const body = [{ error: { code: 400, message: 'sk-secret', status: 'INVALID_ARGUMENT' } }];
    const log = await gemini.ask({ status: 400, steps: [{ type: 'raw', text: JSON.stringify(body) }] });
    expect(log.events).toMatchObject([{ type: 'failed', error: { code: 'bad_request', httpStatus: 400 } }]);
    expect(JSON.stringify(log.events)).not.toContain('sk-secret');
  });
});
