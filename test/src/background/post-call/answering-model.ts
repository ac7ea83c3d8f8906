import type { LanguageModel, ModelEvent, ModelRequest } from '../../../../engine/ports/language-model.ts';

export type ScriptedAnswer = string | Extract<ModelEvent, { type: 'failed' }>['error'] | 'silence';

/** A model that emits scripted responses asynchronously. */
export class AnsweringModel implements LanguageModel {
  readonly requests: ModelRequest[] = [];
  cancelled = 0;
  readonly #answer: (request: ModelRequest, nth: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

  constructor(answer: (request: ModelRequest, nth: number) => ScriptedAnswer | Promise<ScriptedAnswer>) {
    this.#answer = answer;
  }

  generate(request: ModelRequest, emit: (event: ModelEvent) => void) {
    this.requests.push(request);
    let dropped = false;
    const answered = Promise.resolve(this.#answer(request, this.requests.length - 1));
    void answered.then((answer) => {
      if (dropped || answer === 'silence') return;
      if (typeof answer !== 'string') return emit({ type: 'failed', error: answer });
      emit({ type: 'text', text: answer });
      emit({ type: 'done', finish: 'stop' });
    });
    return {
      cancel: () => {
        dropped = true;
        this.cancelled++;
      },
    };
  }
}
