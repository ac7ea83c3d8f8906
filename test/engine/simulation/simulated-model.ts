import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type {
  GenerationHandle,
  LanguageModel,
  ModelEvent,
  ModelRequest,
} from '../../../engine/ports/language-model.ts';
import { MODEL_MS } from './default-timing.ts';
import type { Scenario } from './scenario.ts';

const EXTRACTION_MS = 300;
const SUMMARY_MS = 2_000;
const FAILURE = { provider: 'test', message: 'no', retryable: true } as const;

type Emit = (event: ModelEvent) => void;

/** Responds to requests from the scenario, and keeps them, each kind in its list. */
export class SimulatedModel implements LanguageModel {
  readonly requests: ModelRequest[] = [];
  readonly extractionRequests: ModelRequest[] = [];
  readonly summaryRequests: ModelRequest[] = [];
  cancelledGenerations = 0;
  readonly #scenario: Scenario;
  readonly #clock: SimulatedClock;

  constructor(scenario: Scenario, clock: SimulatedClock) {
    this.#scenario = scenario;
    this.#clock = clock;
  }

  generate(request: ModelRequest, emit: Emit): GenerationHandle {
    let cancelled = false;
    const emitUnlessCancelled: Emit = (event) => {
      if (!cancelled) emit(event);
    };
    if (request.answerSchema === undefined) this.#respond(request, emitUnlessCancelled);
    else if (request.answerSchema.name === 'summary') this.#summarise(request, emitUnlessCancelled);
    else this.#extract(request, emitUnlessCancelled);
    return {
      cancel: () => {
        cancelled = true;
        this.cancelledGenerations++;
      },
    };
  }

  #respond(request: ModelRequest, emit: Emit): void {
    const response = this.#scenario.model?.[this.requests.length] ?? { text: 'Yes.' };
    this.requests.push(request);
    if (response.stalls === true && response.text === undefined) return;
    const { firstTokenAfter } = response;
    const firstTokenLength = firstTokenAfter === undefined ? 0 : 1;
    if (firstTokenAfter !== undefined) {
      this.#clock.after(firstTokenAfter * 1000, () =>
        emit({ type: 'text', text: response.text?.slice(0, firstTokenLength) ?? '' }),
      );
    }
    this.#clock.after((response.after ?? MODEL_MS / 1000) * 1000, () => {
      if (response.text !== undefined) emit({ type: 'text', text: response.text.slice(firstTokenLength) });
      if (response.failsWith !== undefined) {
        emit({
          type: 'failed',
          error: { provider: 'test', code: 'unavailable', message: 'no', ...response.failsWith },
        });
        return;
      }
      if (response.stalls === true) return;
      const toolCalls = response.toolCalls ?? [];
      for (const [index, { name, id, arguments: values = {} }] of toolCalls.entries()) {
        const text = typeof values === 'string' ? values : JSON.stringify(values);
        emit({ type: 'tool_call', call: { id: id ?? `c${this.requests.length}_${index}`, name, arguments: text } });
      }
      emit({
        type: 'done',
        finish: toolCalls.length > 0 ? 'tool_calls' : 'stop',
        usage: { inputTokens: 10, outputTokens: 5 },
      });
    });
  }

  #extract(request: ModelRequest, emit: Emit): void {
    const values = this.#scenario.extractions?.[this.extractionRequests.length] ?? {};
    this.extractionRequests.push(request);
    const fails = this.extractionRequests.length <= (this.#scenario.failedExtractions ?? 0);
    this.#clock.after(this.#scenario.extractionMs ?? EXTRACTION_MS, () => {
      if (fails) {
        emit({ type: 'failed', error: { ...FAILURE, code: 'unavailable' } });
        return;
      }
      emit({ type: 'text', text: JSON.stringify(values) });
      emit({ type: 'done', finish: 'stop' });
    });
  }

  #summarise(request: ModelRequest, emit: Emit): void {
    const text = this.#scenario.summaries?.[this.summaryRequests.length];
    this.summaryRequests.push(request);
    if (text === undefined || text === null) return;
    this.#clock.after(SUMMARY_MS, () => {
      if (text === 'fails') emit({ type: 'failed', error: { ...FAILURE, code: 'timeout' } });
      else {
        emit({ type: 'text', text: JSON.stringify({ summary: text }) });
        emit({ type: 'done', finish: 'stop' });
      }
    });
  }
}
