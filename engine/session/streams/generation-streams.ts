import type { JsonValue } from '../../agent/json-value.ts';
import type { CallEvent } from '../../core/event.ts';
import { SentenceSplitter } from '../../languages/sentence-splitter.ts';
import type {
  GenerationHandle,
  LanguageModel,
  ModelEvent,
  ModelRequest,
  ModelUsage,
} from '../../ports/language-model.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import { parseJson } from '../../variables/coercion.ts';
import type { Post } from '../inbox/inbox.ts';

/** A longer response to an extraction or a summary request fails: a bound of memory, far above any useful response. */
export const RESPONSE_CHARACTERS_MAX = 262_144;

/** A request that has not ended. `dropped`: the inbox also drops the events of it that it has queued. */
interface RunningRequest {
  generation: GenerationHandle | null;
  dropped: boolean;
  ended: boolean;
}

/** `answer`: the parsed response, as the event names it. */
interface JsonResponse {
  readonly answer: JsonValue;
  readonly usage?: ModelUsage;
}

/** Turns the model responses of one call into events: text into sentences, extractions and summaries into JSON. */
export class GenerationStreams {
  readonly #generations = new Map<number, RunningRequest>();
  readonly #extractions = new Map<number, RunningRequest>();
  readonly #summaries = new Map<number, RunningRequest>();
  readonly #model: LanguageModel;
  readonly #language: string;
  readonly #post: Post;

  constructor(model: LanguageModel, language: string, post: Post) {
    this.#model = model;
    this.#language = language;
    this.#post = post;
  }

  request(generation: number, request: ModelRequest): void {
    const splitter = new SentenceSplitter(this.#language);
    let begun = false;
    this.#run(this.#generations, generation, request, (event, post) => {
      if (!begun && (event.type === 'text' || event.type === 'tool_call'))
        post({ type: 'model.first_token', generation });
      begun = begun || event.type === 'text' || event.type === 'tool_call';
      const sentences =
        event.type === 'text' ? splitter.push(event.text) : event.type === 'failed' ? [] : splitter.end();
      for (const text of sentences) post({ type: 'model.sentence', generation, text });
      if (event.type === 'tool_call') post({ type: 'model.tool_call', generation, call: event.call });
      if (event.type === 'done') post({ ...event, type: 'model.done', generation });
      if (event.type === 'failed') post({ type: 'model.failed', generation, error: event.error });
    });
  }

  extract(extraction: number, request: ModelRequest): void {
    this.#requestJson(this.#extractions, extraction, request, (outcome) =>
      'error' in outcome
        ? { ...outcome, type: 'extraction.failed', extraction }
        : { ...outcome, type: 'extraction.done', extraction },
    );
  }

  summarise(summary: number, request: ModelRequest): void {
    this.#requestJson(this.#summaries, summary, request, (outcome) =>
      'error' in outcome
        ? { ...outcome, type: 'summary.failed', summary }
        : { ...outcome, type: 'summary.done', summary },
    );
  }

  cancel(generation: number): void {
    drop(this.#generations, generation);
  }

  cancelExtraction(extraction: number): void {
    drop(this.#extractions, extraction);
  }

  cancelSummary(summary: number): void {
    drop(this.#summaries, summary);
  }

  close(): void {
    for (const requests of [this.#generations, this.#extractions, this.#summaries]) {
      for (const key of [...requests.keys()]) {
        try {
          drop(requests, key);
        } catch {
          // A failed cancel must not prevent the others.
        }
      }
    }
  }

  /** Requests one JSON response, and posts it or its error as one event. */
  #requestJson(
    requests: Map<number, RunningRequest>,
    key: number,
    request: ModelRequest,
    toEvent: (outcome: JsonResponse | { readonly error: ProviderError }) => CallEvent,
  ): void {
    let text = '';
    let length = 0;
    this.#run(requests, key, request, (event, post) => {
      if (event.type === 'text') {
        length += event.text.length;
        text = length > RESPONSE_CHARACTERS_MAX ? '' : text + event.text;
      }
      if (event.type === 'failed') post(toEvent({ error: event.error }));
      if (event.type !== 'done') return;
      const answer = parseJson(text);
      const usage = event.usage === undefined ? {} : { usage: event.usage };
      post(
        toEvent(answer === undefined ? { error: unusableResponse(request.provider, length) } : { answer, ...usage }),
      );
    });
  }

  #run(
    requests: Map<number, RunningRequest>,
    key: number,
    request: ModelRequest,
    onEvent: (event: ModelEvent, post: Post) => void,
  ): void {
    // The rules send the next request only after they have received the end of the previous one.
    for (const [other, { ended }] of requests) if (ended) requests.delete(other);
    const running: RunningRequest = { generation: null, dropped: false, ended: false };
    requests.set(key, running);
    const post: Post = (event) => this.#post(event, () => !running.dropped);
    const emit = (event: ModelEvent) => {
      if (running.dropped || running.ended) return;
      running.ended = event.type === 'done' || event.type === 'failed';
      onEvent(event, post);
    };
    try {
      running.generation = this.#model.generate(request, emit);
    } catch (cause) {
      emit({ type: 'failed', error: adapterError(request.provider, cause) });
    }
  }
}

function drop(requests: Map<number, RunningRequest>, key: number): void {
  const running = requests.get(key);
  if (running === undefined) return;
  running.dropped = true;
  requests.delete(key);
  if (!running.ended) running.generation?.cancel();
}

function unusableResponse(provider: string, length: number): ProviderError {
  const message =
    length > RESPONSE_CHARACTERS_MAX
      ? `the response has ${length} characters, more than ${RESPONSE_CHARACTERS_MAX}`
      : 'the response is not JSON, or is nested too deeply';
  return { provider, code: 'malformed', message, retryable: false };
}

/** An exception of the adapter is our fault: a retry would meet it again. */
function adapterError(provider: string, cause: unknown): ProviderError {
  return { provider, code: 'unavailable', message: `the model adapter failed: ${String(cause)}`, retryable: false };
}
