import type { GenerationHandle, LanguageModel } from '../../engine/ports/language-model.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import { CircuitBreaker, openCircuitFailure } from '../decorators/circuit-breaker/circuit-breaker.ts';
import type { ConnectionPool } from '../http/connection-pool.ts';
import type { ModelProtocol } from './response-part.ts';
import { type ModelDeadlines, StreamedGeneration } from './streamed-generation.ts';

export interface ModelAccess {
  /** Name in errors and logs. */
  readonly provider: string;
  readonly pool: ConnectionPool;
  readonly protocol: ModelProtocol;
  readonly deadlines: ModelDeadlines;
}

export interface StreamedLanguageModel extends LanguageModel {
  readonly circuit: Pick<CircuitBreaker, 'isOpen'>;
  /** Opens the connection before the first request. */
  warm(): void;
  /** Closes all connections. Generations under way end as `closed`. */
  close(): Promise<void>;
}

/** A provider that answers a POST with an event stream, asked over its official SDK. */
export function createStreamedLanguageModel(access: ModelAccess): StreamedLanguageModel {
  const { deadlines, pool, protocol, provider } = access;
  const breaker = new CircuitBreaker(() => performance.now());
  return {
    circuit: breaker,
    generate(request, emit) {
      const onOutcome = breaker.enter();
      if (onOutcome === null) return refused(openCircuitFailure(provider, breaker), emit);
      const reader = protocol.reader(request);
      const open = (signal: AbortSignal) => protocol.open(request, signal);
      return new StreamedGeneration({ provider, pool, deadlines, onOutcome, open, reader }, emit);
    },
    warm: () => pool.warm(),
    close: () => pool.close(),
  };
}

function refused(error: ProviderError, emit: Parameters<LanguageModel['generate']>[1]): GenerationHandle {
  const reporting = setImmediate(() => emit({ type: 'failed', error }));
  return { cancel: () => clearImmediate(reporting) };
}
