import type { Clock } from '../../../base/time/clock.ts';
import type { Generation, LanguageModel, ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import { describeProviderError } from '../../../engine/ports/provider-error.ts';

/** An answer that is still coming after this is given up, ms: nobody waits on a line, yet a run must end. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Characters; 20 answers of text are far below it. */
const ANSWER_LENGTH_MAX = 262_144;

/** `canTryAgain`: the same request may be answered later. */
export type CollectedResponse =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'failed'; readonly reason: string; readonly canTryAgain: boolean };

/** Asks a model and waits for all that it says. Never rejects; `signal` ends it as failed. */
export function collectResponse(
  model: LanguageModel,
  request: ModelRequest,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
): Promise<CollectedResponse> {
  return new Promise((resolve) => {
    let text = '';
    let generation: Generation | null = null;
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
    const stopWaiting = clock.after(ANSWER_TIMEOUT_MS, () => fail('the answer took too long'));
    const take = (event: ModelEvent): void => {
      switch (event.type) {
        case 'text':
          text += event.text;
          if (text.length > ANSWER_LENGTH_MAX) fail('the answer is too long');
          return;
        case 'tool_call':
          return;
        case 'done':
          end({ type: 'text', text });
          return;
        case 'failed': {
          const { error } = event;
          // A key that is wrong now can be put right; a request that was refused stays what it is.
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
