import { randomUUID } from 'node:crypto';
import { codeOfReported, shownReportedCode } from '../official-sdk/reported-error.ts';
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
import { type ChatChunk, decodeChatChunk } from './chat-chunk.ts';
import { ThinkBlockFilter } from './think-block-filter.ts';

type Choice = NonNullable<ChatChunk['choices']>[number];

/** A streamed chat completion of OpenAI or a compatible server. */
export class ChatReader implements ResponseReader {
  readonly #toolCalls = new ToolCallFragments(() => `call_${randomUUID()}`);
  readonly #thoughts = new ThinkBlockFilter();
  readonly #isAnswerCalled: boolean;
  /** Text or a call has arrived. Some compatible servers send no finish reason; `[DONE]` then ends the response. */
  #needsFinish = false;

  /** `isAnswerCalled`: the requested answer arrives as the arguments of a function. */
  constructor(isAnswerCalled: boolean) {
    this.#isAnswerCalled = isAnswerCalled;
  }

  take(event: unknown): readonly ResponsePart[] {
    const chunk = decodeChatChunk(event);
    if (chunk === undefined) return malformed('a chunk that is not a chat completion');
    const error = chunk.error ?? (chunk.object === 'error' ? { code: chunk.code, type: chunk.type } : null);
    if (error) {
      const reported = typeof error === 'string' ? {} : error;
      return [
        {
          type: 'failure',
          code: codeOfReported(reported),
          message: `the stream reported an error${shownReportedCode(reported)}`,
        },
      ];
    }
    const choice = chunk.choices?.[0];
    const usage = chunk.usage ?? chunk.x_groq?.usage;
    if (!usage) return choice === undefined ? NO_PARTS : this.#choice(choice);
    const reported = usageOf(usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details?.cached_tokens);
    return [{ type: 'usage', usage: reported }, ...(choice === undefined ? NO_PARTS : this.#choice(choice))];
  }

  completed(): readonly ResponsePart[] {
    return [...(this.#needsFinish ? this.#finish('stop') : NO_PARTS), { type: 'end' }];
  }

  #choice({ delta, finish_reason: reason }: Choice): readonly ResponsePart[] {
    for (const fragment of delta?.tool_calls ?? []) {
      const { index, id, function: called } = fragment;
      if (this.#toolCalls.add({ index: index ?? 0, id, name: called?.name, arguments: called?.arguments })) continue;
      return malformed('a fragment of an unknown function call, or too long');
    }
    const text = this.#thoughts.take(delta?.content || delta?.refusal || '');
    this.#needsFinish ||= text !== '' || this.#toolCalls.count > 0;
    if (!reason) return text === '' ? PROGRESS : textParts(text);
    return [...textParts(text), ...this.#finish(reason)];
  }

  /** The calls are complete and are emitted now; truncated calls are never emitted. */
  #finish(reason: string): readonly ResponsePart[] {
    this.#needsFinish = false;
    const rest = textParts(this.#thoughts.rest());
    const calls = reason === 'length' || reason === 'content_filter' ? [] : this.#toolCalls.calls();
    if (this.#isAnswerCalled && calls.length > 0) {
      const texts = calls.slice(0, 1).map((call) => ({ type: 'text', text: call.arguments }) as const);
      return [...rest, ...texts, { type: 'finish', finish: 'stop' }];
    }
    const finish = finishOf(reason, calls.length > 0);
    return [...rest, ...calls.map((call) => ({ type: 'tool_call', call }) as const), { type: 'finish', finish }];
  }
}

function textParts(text: string): readonly ResponsePart[] {
  return text === '' ? NO_PARTS : [{ type: 'text', text }];
}

/** Some compatible servers send `stop` although they call functions. */
function finishOf(reason: string, hasToolCalls: boolean): Finish {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return hasToolCalls ? 'tool_calls' : 'stop';
}
