import type { GenerationHandle, ModelEvent, ModelUsage } from '../../engine/ports/language-model.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { ReportOutcome } from '../decorators/circuit-breaker/circuit-breaker.ts';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { PooledResponse } from '../http/pooled-response.ts';
import { failureOfSdk } from '../official-sdk/sdk-failure.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import { readEvents } from './response-events.ts';
import type { Finish, ResponsePart, ResponseReader } from './response-part.ts';

export interface ModelDeadlines {
  /** Request → first event of the answer. */
  readonly firstByteMs: number;
  /** Between two events. */
  readonly stallMs: number;
  /** From the end of the response to its usage, which may follow; after this it ends without usage. */
  readonly usageMs: number;
}

export interface GenerationOptions {
  readonly provider: string;
  readonly pool: ConnectionPool;
  /** Sends the request. Rejects with the SDK's error. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly reader: ResponseReader;
  readonly deadlines: ModelDeadlines;
  /** Called once with the outcome. */
  readonly onOutcome: ReportOutcome;
}

/** Time for the connection to become free after the end of the response; then it is closed. Unit: ms. */
const DRAIN_MS_MAX = 1_000;

/** One request and its response. Each token is emitted as it arrives. The engine retries, not the adapter. */
export class StreamedGeneration implements GenerationHandle {
  readonly #options: GenerationOptions;
  readonly #abort = new AbortController();
  #emit: ((event: ModelEvent) => void) | undefined;
  #deadline: NodeJS.Timeout;
  #deadlineMs: number;
  #isBegun = false;
  #finish: Finish | undefined;
  #usage: ModelUsage | undefined;
  /** No event follows. The response may still be read to its end. */
  #isOver = false;

  constructor(options: GenerationOptions, emit: (event: ModelEvent) => void) {
    this.#options = options;
    this.#emit = emit;
    this.#deadlineMs = options.deadlines.firstByteMs;
    this.#deadline = setTimeout(() => this.#late(), this.#deadlineMs);
    void this.#run();
  }

  /** The connection is closed with the response. Another is opened, because a response to the interruption follows soon. */
  cancel(): void {
    const wasRunning = this.#emit !== undefined;
    this.#emit = undefined;
    if (this.#isOver) return;
    this.#release();
    if (!wasRunning) return;
    this.#options.onOutcome(this.#isBegun ? 'worked' : 'cancelled');
    this.#options.pool.warm();
  }

  async #run(): Promise<void> {
    try {
      const response = await this.#options.open(this.#abort.signal);
      await readEvents(response, (event) => this.#onEvent(event));
      this.#onEnd(response);
    } catch (error) {
      // Later, because the SDK may refuse a request inside `generate`.
      setImmediate(() => this.#onFailure(error));
    }
  }

  #onEvent(event: unknown): void {
    if (this.#isOver) return;
    // Any first event ends the first-byte deadline.
    if (!this.#isBegun) this.#await(this.#options.deadlines.stallMs);
    this.#isBegun = true;
    this.#takeAll(this.#options.reader.take(event));
  }

  #onEnd(response: Response): void {
    const { reader } = this.#options;
    if (response instanceof PooledResponse && response.isDone) this.#takeAll(reader.completed?.() ?? []);
    clearTimeout(this.#deadline);
    if (this.#isOver) return;
    if (this.#finish !== undefined) this.#done(this.#finish);
    else if (this.#isBegun || isEventStream(response)) this.#fail(this.#cutOff());
    else this.#fail(this.#failure('malformed', 'the response is not an event stream: check the base URL'));
  }

  #onFailure(error: unknown): void {
    clearTimeout(this.#deadline);
    if (this.#isOver) return;
    // After the finish only the usage is lost.
    if (this.#finish !== undefined) this.#done(this.#finish);
    else this.#fail(failureOfSdk(this.#options.provider, error, Date.now()));
  }

  #takeAll(parts: readonly ResponsePart[]): void {
    for (const part of parts) {
      if (this.#isOver) return;
      this.#take(part);
    }
  }

  #take(part: ResponsePart): void {
    switch (part.type) {
      case 'text':
      case 'tool_call':
        // Parts after the finish are repetitions.
        if (this.#finish !== undefined) return;
        this.#progress();
        this.#emit?.(part);
        return;
      case 'usage':
        this.#usage = part.usage;
        return;
      case 'finish':
        if (this.#finish !== undefined) return;
        this.#finish = part.finish;
        this.#await(this.#options.deadlines.usageMs);
        return;
      case 'end':
        this.#ended();
        return;
      case 'progress':
        this.#progress();
        return;
      case 'failure':
        if (this.#finish !== undefined) return;
        this.#fail(this.#failure(part.code, part.message));
    }
  }

  /** The end of the response. The connection becomes free once HTTP has ended it too. */
  #ended(): void {
    if (this.#finish === undefined) {
      this.#fail(this.#cutOff());
      return;
    }
    this.#await(DRAIN_MS_MAX);
    this.#done(this.#finish);
  }

  /** Before the finish the stall deadline applies. */
  #progress(): void {
    if (this.#finish === undefined) this.#deadline.refresh();
  }

  #await(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadlineMs = ms;
    this.#deadline = setTimeout(() => this.#late(), ms);
  }

  #late(): void {
    const finish = this.#finish;
    if (!this.#isOver && finish === undefined) {
      this.#fail(this.#failure('timeout', `the model sent nothing for ${this.#deadlineMs} ms`));
      return;
    }
    if (!this.#isOver && finish !== undefined) this.#done(finish);
    this.#abort.abort();
  }

  #cutOff(): ProviderError {
    return this.#failure('closed', 'the stream ended before the answer did');
  }

  #failure(code: ProviderError['code'], message: string): ProviderError {
    return providerFailure(this.#options.provider, code, message);
  }

  #fail(error: ProviderError): void {
    this.#release();
    this.#options.onOutcome(error.code, error);
    this.#end({ type: 'failed', error });
  }

  #done(finish: Finish): void {
    this.#isOver = true;
    this.#options.onOutcome('worked');
    this.#end({ type: 'done', finish, ...(this.#usage === undefined ? {} : { usage: this.#usage }) });
  }

  /** Ignores the rest of the response and closes the connection. */
  #release(): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#abort.abort();
  }

  #end(event: ModelEvent): void {
    const emit = this.#emit;
    this.#emit = undefined;
    emit?.(event);
  }
}

/** A server that names no type is trusted. */
function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('event-stream') ?? true;
}
