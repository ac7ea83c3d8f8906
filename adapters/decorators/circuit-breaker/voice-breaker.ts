import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import { type CircuitBreaker, openCircuitFailure, type RequestOutcome } from './circuit-breaker.ts';

/**
 * A voice in front of which a breaker stands that all calls share: while its provider is down no caller waits for that to
 * show. What comes of a stream's first segment is what counts; one that has spoken and fails later does not.
 */
export function withVoiceBreaker(provider: string, voice: Voice, breaker: CircuitBreaker): Voice {
  return { open: (options, emit) => new BreakerVoiceStream(provider, voice, breaker, options, emit) };
}

class BreakerVoiceStream implements VoiceStream {
  readonly #provider: string;
  readonly #breaker: CircuitBreaker;
  readonly #stream: VoiceStream;
  readonly #emit: (event: VoiceEvent) => void;
  /** It has spoken: the breaker is asked no more. */
  #isProven = false;
  /** What is told of the first segment, while that is open. */
  #report: ((outcome: RequestOutcome) => void) | null = null;
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
    if (event.type === 'failed') this.#endFirst(event.error.code);
    // A text without a sound ends without the provider.
    if (event.type === 'done') this.#endFirst('unasked');
    if (event.type === 'audio') {
      this.#isProven = true;
      this.#endFirst('worked');
    }
    this.#emit(event);
  }

  #endFirst(outcome: RequestOutcome): void {
    this.#report?.(outcome);
    this.#report = null;
  }

  #refuse(segment: number): void {
    const refusal = setImmediate(() => {
      this.#refusals.delete(refusal);
      this.#emit({ type: 'failed', segment, error: openCircuitFailure(this.#provider) });
    });
    this.#refusals.add(refusal);
  }
}
