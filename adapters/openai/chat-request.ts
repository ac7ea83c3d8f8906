import type { ModelFunction, ModelMessage, ModelRequest } from '../../engine/ports/language-model.ts';
import { isReasoning, leastReasoning, type ReasoningEffort } from './reasoning-effort.ts';
import { fitsStrictMode } from './strict-mode.ts';

/** Differences between servers with a chat completions API. */
export interface ChatDialect {
  /** Relative to the base URL. */
  path(model: string): string;
  /** Relative to the base URL: the list of models. */
  readonly modelsPath: string;
  authorization(apiKey: string): Readonly<Record<string, string>>;
  /** Whether to request usage (`stream_options`). Other servers send it by default, and some refuse the option. */
  readonly asksForUsage: boolean;
  /**
   * How a response becomes JSON of a schema. `schema`: by `response_format`. `object`: by its older form, with the
   * schema in the prompt. `function`: by a required function call, for servers that cannot stream `response_format`.
   */
  readonly json: 'schema' | 'object' | 'function';
  /** Options that follow from the model's name. */
  readonly traits: (model: string) => ChatModelTraits;
  /** Changes the messages for servers that are strict about their order. */
  readonly adapt?: (messages: readonly ModelMessage[]) => readonly ModelMessage[];
}

export interface ChatModelTraits {
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** False: the model accepts none, so the agent's temperature is left out. */
  readonly takesTemperature: boolean;
  /** Added to each call of the history (`extra_content`). */
  readonly toolCallExtra?: { readonly [field: string]: unknown };
}

/** OpenAI's own dialect, which a «compatible» server most likely implements. */
export const OPENAI_DIALECT: ChatDialect = {
  path: () => '/chat/completions',
  modelsPath: '/models',
  authorization: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  asksForUsage: true,
  json: 'schema',
  traits: (model) => ({ reasoningEffort: leastReasoning(model), takesTemperature: !isReasoning(model) }),
};

type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'tool'; tool_call_id: string; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatToolCall[] };

interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  extra_content?: { readonly [field: string]: unknown };
}

interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: { [keyword: string]: unknown } };
}

interface ChatBody {
  model: string;
  stream: true;
  messages: ChatMessage[];
  stream_options?: { include_usage: boolean };
  temperature?: number;
  reasoning_effort?: ReasoningEffort;
  tools?: ChatTool[];
  tool_choice?: { type: 'function'; function: { name: string } };
  response_format?:
    | { type: 'json_object' }
    | {
        type: 'json_schema';
        json_schema: { name: string; schema: { [keyword: string]: unknown }; strict: boolean };
      };
}

type AnswerSchema = NonNullable<ModelRequest['answerSchema']>;

/** The body of a streamed request to `/chat/completions` (https://platform.openai.com/docs/api-reference/chat/create). */
export function chatRequest(request: ModelRequest, dialect: ChatDialect): ChatBody {
  const { answerSchema, functions, temperature } = request;
  const { reasoningEffort, takesTemperature, toolCallExtra } = dialect.traits(request.model);
  const adapted = dialect.adapt?.(request.messages) ?? request.messages;
  const messages = adapted.map((message) => chatMessage(message, toolCallExtra));
  return {
    model: request.model,
    stream: true,
    ...(dialect.asksForUsage ? { stream_options: { include_usage: true } } : {}),
    messages,
    ...(temperature === undefined || !takesTemperature ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    // An empty list is refused.
    ...(functions.length === 0 ? {} : { tools: functions.map(chatTool) }),
    ...(answerSchema === undefined ? {} : jsonAnswer(answerSchema, messages, dialect.json)),
  };
}

function jsonAnswer(
  { name, schema }: AnswerSchema,
  messages: readonly ChatMessage[],
  json: ChatDialect['json'],
): Partial<ChatBody> {
  switch (json) {
    case 'schema':
      return {
        response_format: { type: 'json_schema', json_schema: { name, schema, strict: fitsStrictMode(schema) } },
      };
    case 'object': {
      const instructions = `Answer with one JSON object and nothing else. Its JSON Schema: ${JSON.stringify(schema)}`;
      return {
        messages: [...messages, { role: 'user', content: instructions }],
        response_format: { type: 'json_object' },
      };
    }
    case 'function':
      return {
        tools: [chatTool({ name, description: 'Takes the answer.', parameters: schema })],
        tool_choice: { type: 'function', function: { name } },
      };
  }
}

function chatTool({ name, description, parameters }: ModelFunction): ChatTool {
  return { type: 'function', function: { name, description, parameters } };
}

function chatMessage(message: ModelMessage, extra: ChatModelTraits['toolCallExtra']): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const calls = message.toolCalls ?? [];
      if (calls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
          ...(extra === undefined ? {} : { extra_content: extra }),
        })),
      };
    }
  }
}
