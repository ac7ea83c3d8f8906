import type { Clock } from '../../../base/time/clock.ts';
import type {
  GenerationHandle,
  LanguageModel,
  ModelEvent,
  ModelRequest,
} from '../../../engine/ports/language-model.ts';
import { describeProviderError } from '../../../engine/ports/provider-error.ts';

/** Timeout of a model response, ms. Long, because no user is waiting. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Maximum length of a model response, characters. 20 text answers are far below it. */
const ANSWER_LENGTH_MAX = 262_144;

/** `canTryAgain`: a later retry of the request may succeed. */
export type CollectedResponse =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string; readonly canTryAgain: boolean };

/** Sends a request to a model and collects its response. Never rejects. An abort of `signal` fails the request. */
export function collectResponse(
  model: LanguageModel,
  request: ModelRequest,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
): Promise<CollectedResponse> {
  return new Promise((resolve) => {
    let text = '';
    let generation: GenerationHandle | null = null;
    const end = (answer: CollectedResponse): void => {
      stopWaiting();
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const fail = (reason: string): void => {
      generation?.cancel();
      end({ type: 'failed', reason, canTryAgain: true });
    };
    const onAbort = (): void => fail('the service is stopping');
    const stopWaiting = clock.after(ANSWER_TIMEOUT_MS, () => fail('the response took too long'));
    const take = (event: ModelEvent): void => {
      switch (event.type) {
        case 'text':
          text += event.text;
          if (text.length > ANSWER_LENGTH_MAX) fail('the response is too long');
          return;
        case 'tool_call':
          return;
        case 'done':
          end({ type: 'text', text });
          return;
        case 'failed': {
          const { error } = event;
          // A wrong API key can be fixed later; a refused request stays refused.
          const canTryAgain = error.retryable || error.code === 'unauthorized';
          end({ type: 'failed', reason: describeProviderError(error), canTryAgain });
          return;
        }
      }
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else generation = model.generate(request, take);
  });
}
