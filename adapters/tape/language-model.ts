import type { Generation, LanguageModel, ModelEvent, ModelRequest } from '../../engine/ports/language-model.ts';
import type { ModelAnswer, TapeAnswers } from '../../engine/tape/answers.ts';
import { providerFailure } from '../provider-failure.ts';
import type { After } from './after.ts';
import { firstDifference, type OnDifference } from './difference.ts';

/**
 * The n-th request of a kind gets the n-th recorded answer, with its delays. A request with an `answerSchema` is an
 * extraction (or a summary, in the same list), any other a reply. Where it is not the recorded one, `onDifference` is told first and the recorded answer
 * still plays; past the end of the tape the generation fails as `unavailable`.
 */
export function createTapeLanguageModel(
  answers: Pick<TapeAnswers, 'models' | 'extractions'>,
  after: After,
  onDifference: OnDifference,
): LanguageModel {
  let replies = 0;
  let extractions = 0;
  return {
    generate: (request, emit) =>
      request.answerSchema === undefined
        ? answer('reply', answers.models[replies], replies++, request, emit)
        : answer('extraction', answers.extractions[extractions], extractions++, request, emit),
  };

  function answer(
    kind: 'reply' | 'extraction',
    recorded: ModelAnswer | undefined,
    nth: number,
    request: ModelRequest,
    emit: (event: ModelEvent) => void,
  ): Generation {
    if (recorded === undefined) {
      onDifference({ kind, nth, path: 'end', recorded: undefined, asked: request });
      const error = providerFailure('tape', 'unavailable', `the tape has no ${kind} ${nth}`, { retryable: false });
      return play([{ delayMs: 0, event: { type: 'failed', error } }], emit);
    }
    const difference = firstDifference(recorded.request, request);
    if (difference !== undefined) onDifference({ kind, nth, ...difference });
    return play(recorded.events, emit);
  }

  function play(events: ModelAnswer['events'], emit: (event: ModelEvent) => void): Generation {
    const takeBack = events.map(({ delayMs, event }) => after(delayMs, () => emit(event)));
    return {
      cancel: () => {
        for (const take of takeBack) take();
      },
    };
  }
}
