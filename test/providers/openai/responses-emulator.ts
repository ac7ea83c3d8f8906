import { z } from 'zod';
import {
  type EmulatedApi,
  type StreamEmulator,
  type StreamScript,
  startStreamEmulator,
} from '../stream/stream-emulator.ts';
import { responseRefusal } from './responses-script.ts';

const itemSchema = z.union([
  z.object({ type: z.literal('function_call'), call_id: z.string().min(1), name: z.string(), arguments: z.string() }),
  z.object({ type: z.literal('function_call_output'), call_id: z.string().min(1), output: z.string() }),
  z.object({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: z.string().min(1) }),
]);

const bodySchema = z.looseObject({
  model: z.string().min(1),
  input: z.array(itemSchema).min(1),
  stream: z.literal(true),
  store: z.boolean().optional(),
  temperature: z.number().optional(),
  reasoning: z.object({ effort: z.string() }).optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
        description: z.string().optional(),
        parameters: z.looseObject({}).nullable(),
        strict: z.boolean().nullable(),
      }),
    )
    .optional(),
  text: z
    .object({
      format: z.object({
        type: z.literal('json_schema'),
        name: z.string(),
        schema: z.looseObject({}),
        strict: z.boolean().optional(),
      }),
    })
    .optional(),
});

export type ResponsesBody = z.output<typeof bodySchema>;

export interface ResponsesEmulator extends StreamEmulator<ResponsesBody> {
  /** With the API version, as the adapters expect it. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

const API_KEY = 'sk-emulated-responses-key';

/** A loopback server for OpenAI's streamed responses. It rejects the requests that OpenAI rejects. */
export async function startResponsesEmulator(script: StreamScript<ResponsesBody>): Promise<ResponsesEmulator> {
  const api: EmulatedApi<ResponsesBody> = {
    path: '/v1/responses',
    schema: bodySchema,
    isAuthorized: ({ headers }) => headers.authorization === `Bearer ${API_KEY}`,
    fault: unansweredCall,
    refuse: (status, message) =>
      responseRefusal(status, { message, code: status === 401 ? 'invalid_api_key' : 'invalid_request_error' }),
  };
  const emulator = await startStreamEmulator(api, script);
  return Object.assign(emulator, { baseUrl: `${emulator.origin}/v1`, apiKey: API_KEY });
}

/** Each function call must have a later output, and each output an earlier call. */
function unansweredCall({ input }: ResponsesBody): string | null {
  const callsWithoutOutput = new Set<string>();
  for (const item of input) {
    if (!('type' in item)) continue;
    if (item.type === 'function_call') callsWithoutOutput.add(item.call_id);
    else if (!callsWithoutOutput.delete(item.call_id))
      return `No tool call found for function call output with call_id ${item.call_id}.`;
  }
  const [unanswered] = callsWithoutOutput;
  return unanswered === undefined ? null : `No tool output found for function call ${unanswered}.`;
}
