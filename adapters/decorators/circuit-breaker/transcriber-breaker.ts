import type { Transcriber } from '../../../engine/ports/transcriber.ts';
import { type CircuitBreaker, openCircuitFailure } from './circuit-breaker.ts';

/**
 * A transcriber in front of which a breaker stands that all calls share: while its provider is down no call waits for
 * that to show. How a stream's opening ends is what counts; one that is lost later is the call's own misfortune. Where
 * `proof` is `words`, opening asks nobody, and the first words count.
 */
export function withTranscriberBreaker(
  provider: string,
  transcriber: Transcriber,
  breaker: CircuitBreaker,
  proof: 'opening' | 'words' = 'opening',
): Transcriber {
  return {
    traitsOf: (model) => transcriber.traitsOf(model),
    open: (options, emit) => {
      const report = breaker.enter();
      if (report === null) {
        const reporting = setImmediate(() => emit({ type: 'failed', error: openCircuitFailure(provider) }));
        return { write() {}, finalize() {}, close: () => clearImmediate(reporting) };
      }
      const stream = transcriber.open(options, (event) => {
        if (event.type === 'failed') report(event.error.code);
        else if (proof === 'opening' || event.type === 'final') report('worked');
        emit(event);
      });
      const { configure } = stream;
      return {
        write: (audio) => stream.write(audio),
        finalize: () => stream.finalize(),
        ...(configure === undefined ? {} : { configure: configure.bind(stream) }),
        close: () => {
          // Who says nothing is owed no words.
          report(proof === 'opening' ? 'cancelled' : 'unasked');
          stream.close();
        },
      };
    },
  };
}
