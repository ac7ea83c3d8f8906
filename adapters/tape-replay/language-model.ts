import type { GenerationHandle, LanguageModel, ModelEvent, ModelRequest } from '../../engine/ports/language-model.ts';
import type { RecordedGeneration, RecordedResponses } from '../../engine/tape/re-simulation/recorded-responses.ts';
import { firstDifference, type OnDifference } from '../../engine/tape/re-simulation/request-difference.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import type { ReplayTimer } from './replay-timer.ts';

/** How much longer than on the tape a request may last before its missing cancellation counts as a difference. */
const DROP_SLACK_MS = 2_000;

/**
 * The n-th request of a kind gets the n-th recorded answer, with its delays. A request with an `answerSchema` is an
 * extraction or a summary, in one list; any other is a reply. If a request differs from the recorded one,
 * `onDifference` is called first, and the recorded answer still plays. Past the end of the tape the generation fails
 * as `unavailable`. It fails too if the recorded one was cancelled and this one is not.
 */
export function createTapeLanguageModel(
  answers: Pick<RecordedResponses, 'models' | 'extractions'>,
  after: ReplayTimer,
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
    recorded: RecordedGeneration | undefined,
    index: number,
    request: ModelRequest,
    emit: (event: ModelEvent) => void,
  ): GenerationHandle {
    if (recorded === undefined) {
      return play([[0, () => fail(kind, index, request, emit)]]);
    }
    const difference = firstDifference(recorded.request, request);
    if (difference !== undefined) onDifference({ kind, index, ...difference });
    const reported = recorded.events.map(({ delayMs, event }): Reported => [delayMs, () => emit(event)]);
    const { droppedAfterMs } = recorded;
    if (droppedAfterMs === undefined) return play(reported);
    return play([...reported, [droppedAfterMs + DROP_SLACK_MS, () => fail(kind, index, request, emit)]]);
  }

  function fail(kind: 'reply' | 'extraction', index: number, actual: ModelRequest, emit: (event: ModelEvent) => void) {
    onDifference({ kind, index, path: 'end', recorded: undefined, actual });
    const message = `the tape does not hold the end of ${kind} ${index}`;
    emit({ type: 'failed', error: providerFailure('tape', 'unavailable', message, { retryable: false }) });
  }

  function play(reported: readonly Reported[]): GenerationHandle {
    const takeBack = reported.map(([delayMs, report]) => after(delayMs, report));
    return {
      cancel: () => {
        for (const take of takeBack) take();
      },
    };
  }
}

type Reported = readonly [delayMs: number, report: () => void];
