import type { Transcriber, TranscriberEvent, TranscriberTraits } from '../../engine/ports/transcriber.ts';

/** A typed line is a complete turn: no endpointing and no eager generation. */
export const TEXT_TRAITS: TranscriberTraits = { detectsTurns: true, finalP99Ms: 0 };

/** Turns typed lines into ended turns. Times are ms of user audio. */
export class TextTranscriber implements Transcriber {
  #emit: (event: TranscriberEvent) => void = () => {};

  traitsOf(): TranscriberTraits {
    return TEXT_TRAITS;
  }

  open(_options: unknown, emit: (event: TranscriberEvent) => void) {
    this.#emit = emit;
    const close = () => {
      this.#emit = () => {};
    };
    return { write() {}, finalize() {}, close };
  }

  hear(text: string, startMs: number, endMs: number): void {
    this.#emit({ type: 'turn', phase: 'ended', text, startMs, endMs });
  }
}
