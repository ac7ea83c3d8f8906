import type { LanguageModel } from '../../../engine/ports/language-model.ts';
import type { FirstByteTimes } from './first-byte-times.ts';

/** Measures the time from each request for an agent turn to its first token or tool call. */
export function withModelTiming(provider: string, model: LanguageModel, times: FirstByteTimes): LanguageModel {
  return {
    generate: (request, emit) => {
      // Extractions and summaries are not measured: no user waits for them.
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
