import type { TranscriberChange } from '../../engine/ports/transcriber.ts';
import type { JsonMessage } from '../socket-transcriber/socket-transcriber.ts';
import { DEFAULT_EOT_THRESHOLD } from './flux-query.ts';

/**
 * `Configure` messages of a listen v2 socket (https://developers.deepgram.com/docs/flux/configure). The provider takes one
 * at a time: while one is unanswered the latest wish waits, and where that is what was asked last nothing is sent.
 */
export class FluxConfiguration {
  #send: ((message: JsonMessage) => void) | undefined;
  #wished: number;
  #asked: number;
  #isOutstanding = false;

  /** `eotThreshold`: what the stream is opened with. */
  constructor(eotThreshold = DEFAULT_EOT_THRESHOLD) {
    this.#wished = eotThreshold;
    this.#asked = eotThreshold;
  }

  /** The socket stands. */
  opened(send: (message: JsonMessage) => void): void {
    this.#send = send;
    this.#ask();
  }

  wish({ eotThreshold = DEFAULT_EOT_THRESHOLD }: TranscriberChange): void {
    this.#wished = eotThreshold;
    this.#ask();
  }

  /** With a success or a failure: what was refused is not asked again. */
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
