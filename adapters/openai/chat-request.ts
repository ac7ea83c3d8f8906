import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { JsonSchema, JsonValue, ModelMessage, ModelRequest } from '../../engine/ports/language-model.ts';

/** The body of a streamed request to `/chat/completions` (https://platform.openai.com/docs/api-reference/chat/create). */
export function chatRequest(request: ModelRequest): ChatCompletionCreateParamsStreaming {
  const { answerSchema, functions, temperature } = request;
  return {
    model: request.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: request.messages.map(chatMessage),
    ...(temperature === undefined ? {} : { temperature }),
    // An empty list is refused.
    ...(functions.length === 0
      ? {}
      : {
          tools: functions.map((f) => ({
            type: 'function' as const,
            function: { name: f.name, description: f.description, parameters: f.parameters },
          })),
        }),
    ...(answerSchema === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: {
              name: answerSchema.name,
              schema: answerSchema.schema,
              strict: fitsStrictMode(answerSchema.schema),
            },
          },
        }),
  };
}

function chatMessage(message: ModelMessage): ChatCompletionMessageParam {
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
        })),
      };
    }
  }
}

/**
 * Strict mode holds the model to the schema to the letter, yet the provider refuses schemas outside its subset: every
 * object must close itself and require all of its properties
 * (https://platform.openai.com/docs/guides/structured-outputs). Others are sent as guidance.
 */
export function fitsStrictMode(schema: JsonSchema): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes('object')) {
    const properties = schema.properties;
    if (schema.additionalProperties !== false || !isSchema(properties)) return false;
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
    if (!Object.values(properties).every((property) => isSchema(property) && fitsStrictMode(property))) return false;
  }
  if (types.includes('array') && !(isSchema(schema.items) && fitsStrictMode(schema.items))) return false;
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!alternatives.every((alternative) => isSchema(alternative) && fitsStrictMode(alternative))) return false;
  // A schema that names no type allows anything, which strict mode does not.
  return (
    schema.type !== undefined || alternatives.length > 0 || Array.isArray(schema.enum) || schema.const !== undefined
  );
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
