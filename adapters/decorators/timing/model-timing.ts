import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { FirstByteTimes } from './first-byte-times.ts';

/** A model whose conversations are timed, from the request to its first word or call. */
export function withModelTiming(provider: string, model: LanguageModel, times: FirstByteTimes): LanguageModel {
  return {
    generate: (request, emit) => {
      // What is read or summarised is another kind of request, and nobody waits for it.
      if (request.answerSchema !== undefined) return model.generate(request, emit);
      const askedMs = performance.now();
      let isPending = true;
      return model.generate(request, (event) => {
        const ms = performance.now() - askedMs;
        emit(event);
        if (isPending && (event.type === 'text' || event.type === 'tool_call')) times.add(provider, request.model, ms);
        isPending = false;
      });
    },
  };
}
