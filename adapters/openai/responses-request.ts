import type { ModelMessage, ModelRequest } from '../../engine/ports/language-model.ts';
import { isReasoning, leastReasoning, type ReasoningEffort } from './reasoning-effort.ts';
import { fitsStrictMode } from './strict-mode.ts';

type InputItem =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string };

interface ResponsesBody {
  model: string;
  stream: true;
  store: false;
  input: InputItem[];
  temperature?: number;
  reasoning?: { effort: ReasoningEffort };
  tools?: {
    type: 'function';
    name: string;
    description: string;
    parameters: { [keyword: string]: unknown };
    strict: boolean;
  }[];
  text?: { format: { type: 'json_schema'; name: string; schema: { [keyword: string]: unknown }; strict: boolean } };
}

/**
 * The body of a streamed request to `/responses` (https://platform.openai.com/docs/api-reference/responses/create).
 * The system prompt goes into the input: the provider would repeat `instructions` three times in each response.
 */
export function responsesRequest(request: ModelRequest): ResponsesBody {
  const { answerSchema, functions, model, temperature } = request;
  const effort = leastReasoning(model);
  return {
    model,
    stream: true,
    // The provider must not store the user's words.
    store: false,
    input: request.messages.flatMap(inputItems),
    ...(temperature === undefined || isReasoning(model) ? {} : { temperature }),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(functions.length === 0
      ? {}
      : {
          tools: functions.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            parameters,
            // The default here is true, and most function schemas do not fit strict mode.
            strict: false,
          })),
        }),
    ...(answerSchema === undefined
      ? {}
      : {
          text: {
            format: {
              type: 'json_schema' as const,
              name: answerSchema.name,
              schema: answerSchema.schema,
              strict: fitsStrictMode(answerSchema.schema),
            },
          },
        }),
  };
}

function inputItems(message: ModelMessage): InputItem[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(
        ({ id, name, arguments: text }) => ({ type: 'function_call', call_id: id, name, arguments: text }) as const,
      );
      return message.content === '' ? calls : [{ role: 'assistant', content: message.content }, ...calls];
    }
  }
}
