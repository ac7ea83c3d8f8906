import type { JsonValue } from '../../engine/agent/json-value.ts';
import type { JsonSchema, ModelRequest } from '../../engine/ports/language-model.ts';
import { type MessageTurn, messageTurns } from './message-turns.ts';
import { messageModelTraits } from './model-traits.ts';

/** The API requires a bound. This one is longer than any spoken turn, and every model since 3.5 accepts it. */
const TOKENS_MAX = 8_192;
/**
 * Alternatives that the API accepts in one schema
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs).
 */
const UNIONS_MAX = 16;

interface MessageTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

interface MessageBody {
  model: string;
  max_tokens: number;
  stream: true;
  system?: { type: 'text'; text: string; cache_control: { type: 'ephemeral' } }[];
  messages: MessageTurn[];
  tools?: MessageTool[];
  tool_choice?: { type: 'none' };
  thinking?: { type: 'disabled' | 'between_tools' };
  output_config?: { effort?: 'low'; format?: { type: 'json_schema'; schema: { [keyword: string]: unknown } } };
}

/**
 * The body of a streamed request to `/v1/messages` (https://platform.claude.com/docs/en/api/messages/create). The
 * system prompt and the functions before it are marked for the provider's cache, because every turn of a call repeats
 * them. The API no longer accepts a temperature, so the agent's is left out.
 */
export function messageRequest(request: ModelRequest): MessageBody {
  const { answerSchema, model } = request;
  const { effort, thinking } = messageModelTraits(model);
  const format = answerSchema !== undefined && isSchemaSupported(answerSchema.schema) ? answerSchema.schema : undefined;
  const system = systemOf(request);
  const tools = toolsOf(request);
  return {
    model,
    max_tokens: TOKENS_MAX,
    stream: true,
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] }),
    messages: messageTurns(request.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...(tools.length > 0 && request.functions.length === 0 ? { tool_choice: { type: 'none' } } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined && format === undefined
      ? {}
      : {
          output_config: {
            ...(effort === undefined ? {} : { effort }),
            ...(format === undefined ? {} : { format: { type: 'json_schema', schema: format } }),
          },
        }),
  };
}

/** Whether the provider itself enforces the schema of the response; otherwise the prompt asks for it. */
export function isSchemaSupported(schema: JsonSchema): boolean {
  return isClosed(schema) && unionsIn(schema) <= UNIONS_MAX;
}

function systemOf({ answerSchema, messages }: ModelRequest): string {
  const prompts = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  if (answerSchema !== undefined && !isSchemaSupported(answerSchema.schema)) {
    prompts.push(
      `Answer with one JSON object and nothing else. Its JSON Schema: ${JSON.stringify(answerSchema.schema)}`,
    );
  }
  return prompts.join('\n\n').trim();
}

/** Calls in the history need definitions of their functions, even if none may be called any more. */
function toolsOf({ functions, messages }: ModelRequest): MessageTool[] {
  if (functions.length > 0) {
    return functions.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' },
    }));
  }
  const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return [...new Set(called.map(({ name }) => name))].map((name) => ({
    name,
    description: 'Cannot be called now.',
    input_schema: { type: 'object' },
  }));
}

/** Every object must forbid additional properties. */
function isClosed(value: JsonValue): boolean {
  const isOpen = isSchema(value) && value.type === 'object' && value.additionalProperties !== false;
  return !isOpen && partsOf(value).every(isClosed);
}

function unionsIn(value: JsonValue): number {
  const isUnion = isSchema(value) && (Array.isArray(value.anyOf) || Array.isArray(value.type));
  return partsOf(value).reduce((sum: number, part) => sum + unionsIn(part), isUnion ? 1 : 0);
}

function partsOf(value: JsonValue): readonly JsonValue[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isSchema(value: JsonValue): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
