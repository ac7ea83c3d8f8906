import type { TranscriberChange } from '../../engine/ports/transcriber.ts';
import type { JsonMessage } from '../socket-transcriber/socket-transcriber.ts';
import { DEFAULT_EOT_THRESHOLD } from './flux-listen-query.ts';

/**
 * `Configure` messages of a listen v2 socket (https://developers.deepgram.com/docs/flux/configure). The provider
 * accepts one at a time. While one is unanswered, only the latest threshold waits. A threshold equal to the last one
 * requested is not sent.
 */
export class FluxConfiguration {
  #send: ((message: JsonMessage) => void) | undefined;
  #threshold: number;
  #sentThreshold: number;
  #isOutstanding = false;

  /** `eotThreshold`: the threshold in the URL that opened the stream. */
  constructor(eotThreshold = DEFAULT_EOT_THRESHOLD) {
    this.#threshold = eotThreshold;
    this.#sentThreshold = eotThreshold;
  }

  /** The socket is open. */
  opened(send: (message: JsonMessage) => void): void {
    this.#send = send;
    this.#sendChange();
  }

  request({ eotThreshold = DEFAULT_EOT_THRESHOLD }: TranscriberChange): void {
    this.#threshold = eotThreshold;
    this.#sendChange();
  }

  /** Called on success and on failure. A refused threshold is not requested again. */
  answered(): void {
    this.#isOutstanding = false;
    this.#sendChange();
  }

  #sendChange(): void {
    if (this.#send === undefined || this.#isOutstanding || this.#threshold === this.#sentThreshold) return;
    this.#isOutstanding = true;
    this.#sentThreshold = this.#threshold;
    this.#send({ type: 'Configure', thresholds: { eot_threshold: this.#threshold } });
  }
}
