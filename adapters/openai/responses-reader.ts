import { z } from 'zod';
import { codeOfReported, type ReportedError, shownReportedCode } from '../official-sdk/reported-error.ts';
import {
  malformed,
  NO_PARTS,
  PROGRESS,
  type ResponsePart,
  type ResponseReader,
  usageOf,
} from '../streamed-model/response-part.ts';
import { ToolCallFragments } from '../streamed-model/tool-call-fragments.ts';

/**
 * The events of a streamed response that we use (https://platform.openai.com/docs/api-reference/responses-streaming).
 */
const deltaSchema = z.object({ delta: z.string() });
const fragmentSchema = z.object({ output_index: z.number(), delta: z.string() });
const itemSchema = z.object({
  output_index: z.number(),
  item: z.object({
    type: z.string(),
    call_id: z.string().nullish(),
    name: z.string().nullish(),
    arguments: z.string().nullish(),
  }),
});
const reportedSchema = z.object({ code: z.string().nullish(), type: z.string().nullish() });
const endSchema = z.object({
  response: z.object({
    incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
    error: reportedSchema.nullish(),
    usage: z
      .object({
        input_tokens: z.number(),
        output_tokens: z.number(),
        input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
      })
      .nullish(),
  }),
});
const typeSchema = z.object({ type: z.string() });

const NO_RESPONSE = 'an event that does not belong to a response';

export class ResponsesReader implements ResponseReader {
  readonly #toolCalls = new ToolCallFragments(() => '');
  /** Output index of the calls whose arguments arrived in fragments. */
  readonly #inPieces = new Set<number>();

  take(json: unknown): readonly ResponsePart[] {
    const named = typeSchema.safeParse(json);
    if (!named.success) return malformed(NO_RESPONSE);
    switch (named.data.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta': {
        const { data } = deltaSchema.safeParse(json);
        return data === undefined ? malformed(NO_RESPONSE) : [{ type: 'text', text: data.delta }];
      }
      case 'response.output_item.added':
        return this.#began(json);
      case 'response.function_call_arguments.delta':
        return this.#grew(json);
      case 'response.output_item.done':
        return this.#completed(json);
      case 'response.completed':
      case 'response.incomplete':
        return this.#ended(json);
      case 'response.failed': {
        const { data } = endSchema.safeParse(json);
        return failed(data?.response.error ?? {});
      }
      case 'error':
        return failed(reportedSchema.safeParse(json).data ?? {});
      default:
        return named.data.type.startsWith('response.') ? PROGRESS : NO_PARTS;
    }
  }

  #began(json: unknown): readonly ResponsePart[] {
    const { data } = itemSchema.safeParse(json);
    if (data === undefined) return malformed(NO_RESPONSE);
    const { item, output_index: index } = data;
    if (item.type !== 'function_call') return PROGRESS;
    // A call without an id cannot get a result.
    if (!item.call_id || !item.name) return malformed('a function call without an id or a name');
    return this.#add({ index, id: item.call_id, name: item.name });
  }

  #grew(json: unknown): readonly ResponsePart[] {
    const { data } = fragmentSchema.safeParse(json);
    if (data === undefined) return malformed(NO_RESPONSE);
    this.#inPieces.add(data.output_index);
    return this.#add({ index: data.output_index, arguments: data.delta });
  }

  /** A server that sends no fragments sends the arguments only here. */
  #completed(json: unknown): readonly ResponsePart[] {
    const { data } = itemSchema.safeParse(json);
    if (data === undefined) return malformed(NO_RESPONSE);
    const { item, output_index: index } = data;
    if (item.type !== 'function_call' || this.#inPieces.has(index)) return PROGRESS;
    this.#inPieces.add(index);
    return this.#add({ index, id: item.call_id, name: item.name, arguments: item.arguments });
  }

  #add(fragment: Parameters<ToolCallFragments['add']>[0]): readonly ResponsePart[] {
    return this.#toolCalls.add(fragment) ? PROGRESS : malformed('a fragment of an unknown function call, or too long');
  }

  /** One event contains the finish, the usage and the end. Truncated calls are never emitted. */
  #ended(json: unknown): readonly ResponsePart[] {
    const { data } = endSchema.safeParse(json);
    if (data === undefined) return malformed(NO_RESPONSE);
    const { usage, incomplete_details: cut } = data.response;
    const calls = cut ? [] : this.#toolCalls.calls();
    const parts: ResponsePart[] = calls.map((call) => ({ type: 'tool_call', call }));
    if (usage) {
      const reported = usageOf(usage.input_tokens, usage.output_tokens, usage.input_tokens_details?.cached_tokens);
      parts.push({ type: 'usage', usage: reported });
    }
    const finish = cut
      ? cut.reason === 'content_filter'
        ? 'content_filter'
        : 'length'
      : calls.length > 0
        ? 'tool_calls'
        : 'stop';
    parts.push({ type: 'finish', finish }, { type: 'end' });
    return parts;
  }
}

function failed(reported: ReportedError): readonly ResponsePart[] {
  return [
    {
      type: 'failure',
      code: codeOfReported(reported),
      message: `the stream reported an error${shownReportedCode(reported)}`,
    },
  ];
}
