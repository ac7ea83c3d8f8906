import type { Clock } from '../../base/time/clock.ts';
import type { LanguageModel, ModelEvent, ModelRequest } from '../../engine/ports/language-model.ts';
import type { TestJsonObject } from './expected-json.ts';
import type { ModelAnswer } from './test-file.ts';

/** The model responses of one turn. */
export interface ModelScript {
  /** Responses in the order of the requests. */
  readonly answers: readonly ModelAnswer[];
  /** Extracted variables. null: none. */
  readonly extract: TestJsonObject | null;
}

/** Extractions are answered later than replies, as on a call. Unit: ms. */
const EXTRACTION_MS = 300;

const EMPTY: ModelScript = { answers: [], extract: null };

/** A model with scripted responses, turn by turn. Deviations from the script are problems. */
export class ScriptedModel implements LanguageModel {
  readonly #clock: Clock;
  #script = EMPTY;
  #given = 0;
  #extracted = false;
  #calls = 0;
  #problems: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(script: ModelScript): void {
    this.#script = script;
    this.#given = 0;
    this.#extracted = false;
    this.#problems = [];
  }

  /** Deviations from the script, after the end of the turn. */
  problems(): readonly string[] {
    const { answers, extract } = this.#script;
    const left = answers.length - this.#given;
    return [
      ...this.#problems,
      ...(left > 0 ? [`${left} of the ${answers.length} answers of «model» were not asked for`] : []),
      ...(extract !== null && !this.#extracted
        ? ['nothing was extracted in this turn: «extract» was not asked for']
        : []),
    ];
  }

  generate(request: ModelRequest, emit: (event: ModelEvent) => void) {
    const events = request.answerSchema === undefined ? this.#answer(request) : this.#extraction(request);
    let cancelled = false;
    this.#clock.after(request.answerSchema === undefined ? 0 : EXTRACTION_MS, () => {
      for (const event of events) if (!cancelled) emit(event);
    });
    return {
      cancel() {
        cancelled = true;
      },
    };
  }

  #answer(request: ModelRequest): readonly ModelEvent[] {
    const answer = this.#script.answers[this.#given++];
    if (answer === undefined) {
      const count = this.#script.answers.length;
      const has = count === 0 ? '«model» has no answer' : `«model» has only ${count}`;
      this.#problems.push(`the model was asked for answer ${this.#given} of this turn: ${has}`);
      const error = { provider: request.provider, code: 'bad_request', message: 'no answer in the script' } as const;
      return [{ type: 'failed', error: { ...error, retryable: false } }];
    }
    const { text, call } = answer;
    const offered = request.functions.map(({ name }) => name);
    if (call !== null && !offered.includes(call.name)) {
      const known = offered.length === 0 ? 'no function' : offered.join(', ');
      this.#problems.push(`«model» calls ${call.name}, and the agent offers ${known} here`);
    }
    return [
      ...(text === null ? [] : [{ type: 'text' as const, text }]),
      ...(call === null ? [] : [this.#callOf(call)]),
      { type: 'done', finish: call === null ? 'stop' : 'tool_calls' },
    ];
  }

  #callOf({ name, arguments: args }: NonNullable<ModelAnswer['call']>): ModelEvent {
    this.#calls += 1;
    return { type: 'tool_call', call: { id: `call_${this.#calls}`, name, arguments: JSON.stringify(args) } };
  }

  #extraction({ answerSchema }: ModelRequest): readonly ModelEvent[] {
    const extract = this.#script.extract ?? {};
    const asked = Object.keys(answerSchema?.schema.properties ?? {});
    for (const name of Object.keys(extract)) {
      if (!asked.includes(name)) {
        this.#problems.push(`«extract» has ${name}, and the agent asks here for ${asked.join(', ')}`);
      }
    }
    this.#extracted = true;
    return [
      { type: 'text', text: JSON.stringify(extract) },
      { type: 'done', finish: 'stop' },
    ];
  }
}
