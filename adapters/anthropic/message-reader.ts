import { z } from 'zod';
import {
  type Finish,
  malformed,
  NO_PARTS,
  PROGRESS,
  type ResponsePart,
  type ResponseReader,
  usageOf,
} from '../streamed-model/response-part.ts';
import { ToolCallFragments } from '../streamed-model/tool-call-fragments.ts';

/** The events of a streamed message (https://platform.claude.com/docs/en/build-with-claude/streaming). */
const usageSchema = z
  .object({
    input_tokens: z.number().nullish(),
    output_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
    cache_read_input_tokens: z.number().nullish(),
  })
  .nullish();
const startSchema = z.object({ message: z.object({ usage: usageSchema }) });
const blockSchema = z.object({
  index: z.number(),
  content_block: z.object({ type: z.string(), id: z.string().nullish(), name: z.string().nullish() }),
});
const deltaSchema = z.object({
  index: z.number(),
  delta: z.object({ type: z.string(), text: z.string().nullish(), partial_json: z.string().nullish() }),
});
const endSchema = z.object({ delta: z.object({ stop_reason: z.string().nullish() }), usage: usageSchema });
const typeSchema = z.object({ type: z.string() });

const NO_MESSAGE = 'an event that does not belong to a message';
/** Characters of a response that is buffered until its end; a longer one is malformed. */
const KEPT_CHARACTERS_MAX = 256 * 1024;

export class MessageReader implements ResponseReader {
  readonly #toolCalls = new ToolCallFragments(() => '');
  /** The text so far, of a response that only the prompt restricts to JSON. */
  #kept: string | undefined;
  #inputTokens = 0;
  #cachedTokens = 0;

  /** `isKept`: the text is emitted at its end, reduced to the JSON object. */
  constructor(isKept: boolean) {
    this.#kept = isKept ? '' : undefined;
  }

  /** An event `error` or `ping` does not come here (`readEvents`). */
  take(json: unknown): readonly ResponsePart[] {
    const named = typeSchema.safeParse(json);
    if (!named.success) return malformed(NO_MESSAGE);
    switch (named.data.type) {
      case 'message_start':
        return this.#started(json);
      case 'content_block_start':
        return this.#began(json);
      case 'content_block_delta':
        return this.#grew(json);
      case 'message_delta':
        return this.#finished(json);
      case 'message_stop':
        return [{ type: 'end' }];
      // The end of a block, and events added later.
      default:
        return NO_PARTS;
    }
  }

  #started(json: unknown): readonly ResponsePart[] {
    const { data } = startSchema.safeParse(json);
    if (data === undefined) return malformed(NO_MESSAGE);
    this.#countInput(data.message.usage);
    return PROGRESS;
  }

  #began(json: unknown): readonly ResponsePart[] {
    const { data } = blockSchema.safeParse(json);
    if (data === undefined) return malformed(NO_MESSAGE);
    const { content_block: block, index } = data;
    if (block.type !== 'tool_use') return PROGRESS;
    // A call without an id cannot get a result.
    if (!block.id || !block.name) return malformed('a function call without an id or a name');
    return this.#toolCalls.add({ index, id: block.id, name: block.name }) ? PROGRESS : malformed('too many calls');
  }

  #grew(json: unknown): readonly ResponsePart[] {
    const { data } = deltaSchema.safeParse(json);
    if (data === undefined) return malformed(NO_MESSAGE);
    const { delta, index } = data;
    if (delta.type === 'text_delta' && delta.text) return this.#text(delta.text);
    // Thoughts and their signatures.
    if (delta.type !== 'input_json_delta') return PROGRESS;
    return this.#toolCalls.add({ index, arguments: delta.partial_json })
      ? PROGRESS
      : malformed('a fragment of an unknown function call, or too long');
  }

  #text(text: string): readonly ResponsePart[] {
    if (this.#kept === undefined) return [{ type: 'text', text }];
    this.#kept += text;
    return this.#kept.length > KEPT_CHARACTERS_MAX ? malformed('a response without an end') : PROGRESS;
  }

  #finished(json: unknown): readonly ResponsePart[] {
    const { data } = endSchema.safeParse(json);
    if (data === undefined) return malformed(NO_MESSAGE);
    const { usage } = data;
    this.#countInput(usage);
    const parts: ResponsePart[] = [];
    if (typeof usage?.output_tokens === 'number') {
      const reported = usageOf(this.#inputTokens, usage.output_tokens, this.#cachedTokens);
      parts.push({ type: 'usage', usage: reported });
    }
    const reason = data.delta.stop_reason;
    if (!reason) return parts;
    const finish = finishOf(reason, this.#toolCalls.count > 0);
    if (this.#kept) parts.push({ type: 'text', text: jsonIn(this.#kept) });
    // Truncated calls are never emitted.
    if (finish === 'tool_calls') {
      parts.push(...this.#toolCalls.calls().map((call) => ({ type: 'tool_call', call }) as const));
    }
    parts.push({ type: 'finish', finish });
    return parts;
  }

  /** The provider counts tokens read from and written to the cache separately; they are input tokens too. */
  #countInput(usage: z.output<typeof usageSchema>): void {
    if (typeof usage?.input_tokens !== 'number') return;
    this.#cachedTokens = usage.cache_read_input_tokens ?? 0;
    this.#inputTokens =
      usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  }
}

function finishOf(reason: string, hasToolCalls: boolean): Finish {
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  if (reason === 'refusal') return 'content_filter';
  return hasToolCalls ? 'tool_calls' : 'stop';
}

/** Models often put a code fence around it. */
function jsonIn(text: string): string {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  return from === -1 || to < from ? text : text.slice(from, to + 1);
}
