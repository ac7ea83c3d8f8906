import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import { type CircuitBreaker, openCircuitFailure, type ReportOutcome } from './circuit-breaker.ts';

/**
 * A voice behind a circuit breaker that all calls share. The result of a stream's first segment counts; a failure after its first
 * audio does not.
 */
export function withVoiceBreaker(provider: string, voice: Voice, breaker: CircuitBreaker): Voice {
  return { open: (options, emit) => new BreakerVoiceStream(provider, voice, breaker, options, emit) };
}

class BreakerVoiceStream implements VoiceStream {
  readonly #provider: string;
  readonly #breaker: CircuitBreaker;
  readonly #stream: VoiceStream;
  readonly #emit: (event: VoiceEvent) => void;
  /** The stream has produced audio: the breaker no longer applies to it. */
  #isProven = false;
  /** Reports the outcome of the first segment, until it is known. */
  #report: ReportOutcome | null = null;
  #refusals = new Set<NodeJS.Immediate>();

  constructor(
    provider: string,
    voice: Voice,
    breaker: CircuitBreaker,
    options: VoiceOptions,
    emit: (event: VoiceEvent) => void,
  ) {
    this.#provider = provider;
    this.#breaker = breaker;
    this.#emit = emit;
    this.#stream = voice.open(options, (event) => this.#take(event));
  }

  speak(segment: number, text: string): void {
    if (!this.#isProven) this.#report ??= this.#breaker.enter();
    if (this.#isProven || this.#report !== null) this.#stream.speak(segment, text);
    else this.#refuse(segment);
  }

  cancel(): void {
    this.#endFirst('cancelled');
    for (const refusal of this.#refusals) clearImmediate(refusal);
    this.#refusals.clear();
    this.#stream.cancel();
  }

  close(): void {
    this.cancel();
    this.#stream.close();
  }

  #take(event: VoiceEvent): void {
    if (event.type === 'failed') this.#endFirst(event.error.code, event.error);
    // A segment without sound ends without a request.
    if (event.type === 'done') this.#endFirst('no_request');
    if (event.type === 'audio') {
      this.#isProven = true;
      this.#endFirst('worked');
    }
    this.#emit(event);
  }

  #endFirst(...outcome: Parameters<ReportOutcome>): void {
    this.#report?.(...outcome);
    this.#report = null;
  }

  #refuse(segment: number): void {
    const refusal = setImmediate(() => {
      this.#refusals.delete(refusal);
      this.#emit({ type: 'failed', segment, error: openCircuitFailure(this.#provider, this.#breaker) });
    });
    this.#refusals.add(refusal);
  }
}
