import type { Transcriber } from '../../../engine/ports/transcriber.ts';
import { type CircuitBreaker, openCircuitFailure } from './circuit-breaker.ts';

/**
 * A transcriber behind a circuit breaker that all calls share. The opening of a stream counts; a stream that is lost later does
 * not. With `proof: 'words'` the opening sends no request, and the first words count.
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
        const reporting = setImmediate(() => emit({ type: 'failed', error: openCircuitFailure(provider, breaker) }));
        return { write() {}, finalize() {}, close: () => clearImmediate(reporting) };
      }
      const stream = transcriber.open(options, (event) => {
        if (event.type === 'failed') report(event.error.code, event.error);
        else if (proof === 'opening' || event.type === 'final') report('worked');
        emit(event);
      });
      const { configure } = stream;
      return {
        write: (audio) => stream.write(audio),
        finalize: () => stream.finalize(),
        ...(configure === undefined ? {} : { configure: configure.bind(stream) }),
        close: () => {
          // A silent user gets no words, so nothing was proved.
          report(proof === 'opening' ? 'cancelled' : 'no_request');
          stream.close();
        },
      };
    },
  };
}
