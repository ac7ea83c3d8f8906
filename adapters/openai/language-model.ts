import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';
import type {
  Generation,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  ModelUsage,
} from '../../engine/ports/language-model.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { providerFailure } from '../provider-failure.ts';
import { decodeChatChunk } from './chat-chunk.ts';
import { chatFailure } from './chat-failure.ts';
import { chatRequest } from './chat-request.ts';
import { ToolCallFragments } from './tool-call-fragments.ts';
import { createWarmFetch } from './warm-fetch.ts';

export interface OpenAiAccess {
  /** Of any OpenAI-compatible server, up to and with the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface OpenAiDeadlines {
  /** Request → first chunk of the answer. */
  readonly firstByteMs: number;
  /** Between two chunks. */
  readonly stallMs: number;
  /** From the end of the answer to its usage, which comes in a chunk behind it; then it ends without. */
  readonly usageMs: number;
}

export interface OpenAiLanguageModel extends LanguageModel {
  /** Lets go of the connections kept warm. Generations under way end as `closed`. */
  close(): Promise<void>;
}

/** Past these a caller has long asked whether anyone is there; the rules then try again or fall back. */
const DEADLINES: OpenAiDeadlines = { firstByteMs: 8_000, stallMs: 5_000, usageMs: 500 };
/** Chat completions over the official SDK. Each token is passed on as it comes; retries belong to the call's rules. */
export function createOpenAiLanguageModel(
  access: OpenAiAccess,
  deadlines: OpenAiDeadlines = DEADLINES,
): OpenAiLanguageModel {
  const warm = createWarmFetch();
  const client = new OpenAI({
    apiKey: access.apiKey,
    baseURL: access.baseUrl,
    // Left out, each of these is read from the environment, and only `src` reads that.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: warm.fetch,
  });
  return {
    generate: (request, emit) => new ChatGeneration(client, request, deadlines, emit),
    close: () => warm.close(),
  };
}

class ChatGeneration implements Generation {
  readonly #deadlines: OpenAiDeadlines;
  readonly #abort = new AbortController();
  readonly #toolCalls = new ToolCallFragments(() => `call_${randomUUID()}`);
  #emit: ((event: ModelEvent) => void) | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #isAnswered = false;
  #finishReason: string | undefined;
  #usage: ModelUsage | undefined;

  constructor(client: OpenAI, request: ModelRequest, deadlines: OpenAiDeadlines, emit: (event: ModelEvent) => void) {
    this.#emit = emit;
    this.#deadlines = deadlines;
    this.#await(deadlines.firstByteMs);
    this.#stream(client, request).catch((error: unknown) => {
      // Once the answer is whole, only its usage is lost with the stream.
      if (this.#finishReason === undefined) this.#fail(chatFailure(error, this.#isAnswered, Date.now()));
      else this.#finish();
    });
  }

  cancel(): void {
    this.#letGo();
    this.#emit = undefined;
  }

  async #stream(client: OpenAI, request: ModelRequest): Promise<void> {
    const chunks = await client.chat.completions.create(chatRequest(request), { signal: this.#abort.signal });
    this.#isAnswered = true;
    for await (const chunk of chunks) {
      if (this.#abort.signal.aborted) return;
      this.#take(chunk);
    }
    this.#finish();
  }

  #take(json: unknown): void {
    const chunk = decodeChatChunk(json);
    if (chunk === undefined) {
      this.#fail(providerFailure('openai', 'malformed', 'a chunk that is no chat completion'));
      return;
    }
    if (this.#finishReason === undefined) this.#await(this.#deadlines.stallMs);
    if (chunk.usage) {
      this.#usage = { inputTokens: chunk.usage.prompt_tokens, outputTokens: chunk.usage.completion_tokens };
    }
    const choice = chunk.choices?.[0];
    // What comes after the finish is a repetition.
    if (choice === undefined || this.#finishReason !== undefined) return;
    const text = choice.delta?.content || choice.delta?.refusal;
    if (text) this.#emit?.({ type: 'text', text });
    for (const fragment of choice.delta?.tool_calls ?? []) {
      if (this.#toolCalls.add(fragment)) continue;
      this.#fail(
        providerFailure('openai', 'malformed', 'a piece of a function call without its beginning, or too much'),
      );
      return;
    }
    if (choice.finish_reason) this.#finishing(choice.finish_reason);
  }

  /** The answer is whole: its calls are told now, only its usage may still come. Calls cut short are never told. */
  #finishing(reason: string): void {
    this.#finishReason = reason;
    this.#await(this.#deadlines.usageMs);
    if (reason === 'length' || reason === 'content_filter') return;
    for (const call of this.#toolCalls.calls()) this.#emit?.({ type: 'tool_call', call });
  }

  #finish(): void {
    if (this.#abort.signal.aborted) return;
    if (this.#finishReason === undefined) {
      this.#fail(providerFailure('openai', 'closed', 'the stream ended before the answer did'));
      return;
    }
    clearTimeout(this.#deadline);
    this.#end({
      type: 'done',
      finish: finishOf(this.#finishReason, this.#toolCalls.calls().length > 0),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    });
  }

  #await(ms: number): void {
    clearTimeout(this.#deadline);
    if (this.#abort.signal.aborted) return;
    this.#deadline = setTimeout(() => {
      if (this.#finishReason === undefined) {
        this.#fail(providerFailure('openai', 'timeout', `the model sent nothing for ${ms} ms`));
      } else {
        this.#finish();
        this.#letGo();
      }
    }, ms);
  }

  /** A request that cannot even be sent fails within the call; a later turn of the event loop tells it. */
  #fail(error: ProviderError): void {
    if (this.#abort.signal.aborted) return;
    this.#letGo();
    setImmediate(() => this.#end({ type: 'failed', error }));
  }

  /** From here on nothing is taken in, and the connection is free. */
  #letGo(): void {
    clearTimeout(this.#deadline);
    this.#abort.abort();
  }

  #end(event: ModelEvent): void {
    const emit = this.#emit;
    this.#emit = undefined;
    emit?.(event);
  }
}

/** Some compatible servers say `stop` where they call functions. */
function finishOf(reason: string, hasToolCalls: boolean): 'stop' | 'tool_calls' | 'length' | 'content_filter' {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return hasToolCalls ? 'tool_calls' : 'stop';
}
