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
  #wished: number;
  #asked: number;
  #isOutstanding = false;

  /** `eotThreshold`: the threshold in the URL that opened the stream. */
  constructor(eotThreshold = DEFAULT_EOT_THRESHOLD) {
    this.#wished = eotThreshold;
    this.#asked = eotThreshold;
  }

  /** The socket is open. */
  opened(send: (message: JsonMessage) => void): void {
    this.#send = send;
    this.#ask();
  }

  wish({ eotThreshold = DEFAULT_EOT_THRESHOLD }: TranscriberChange): void {
    this.#wished = eotThreshold;
    this.#ask();
  }

  /** Called on success and on failure. A refused threshold is not requested again. */
  answered(): void {
    this.#isOutstanding = false;
    this.#ask();
  }

  #ask(): void {
    if (this.#send === undefined || this.#isOutstanding || this.#wished === this.#asked) return;
    this.#isOutstanding = true;
    this.#asked = this.#wished;
    this.#send({ type: 'Configure', thresholds: { eot_threshold: this.#wished } });
  }
}
