import type { TranscribedWord, TranscriberEvent } from '../../engine/ports/transcriber.ts';
import type { ListenMessage, ListenResults } from './nova-listen-message.ts';

/**
 * Adjacent segments touch. A start this much before the end of the last final is rounding, not repetition. Unit: ms.
 */
const SEGMENT_OVERLAP_MS = 20;

/**
 * Turns a stream's messages into our events. A final stays final: a repeated or late result for audio that a final
 * has covered is dropped.
 */
export class ListenTimeline {
  /** Audio that was dropped before the provider received any; its clock does not count it. Unit: ms. */
  readonly #offsetMs: number;
  #finalThroughMs = 0;
  /** Words of an interim are known that no final has confirmed or withdrawn. */
  #hasInterim = false;
  #lastUtteranceEndMs = -1;

  constructor(offsetMs: number) {
    this.#offsetMs = offsetMs;
  }

  /** The event of a message, or undefined if the message brings no news. */
  eventOf(message: Exclude<ListenMessage, { type: 'Error' }>): TranscriberEvent | undefined {
    switch (message.type) {
      case 'UtteranceEnd': {
        const lastWordEndMs = this.#ms(message.last_word_end);
        // -1 means that there was no word.
        if (message.last_word_end < 0 || lastWordEndMs <= this.#lastUtteranceEndMs) return undefined;
        this.#lastUtteranceEndMs = lastWordEndMs;
        return { type: 'utterance_end', lastWordEndMs };
      }
      case 'Results':
        return this.#eventOfResults(message);
    }
  }

  #eventOfResults(results: ListenResults): TranscriberEvent | undefined {
    const segmentStartMs = this.#ms(results.start);
    const segmentEndMs = this.#ms(results.start + results.duration);
    const covered = segmentEndMs <= this.#finalThroughMs && segmentStartMs < this.#finalThroughMs - SEGMENT_OVERLAP_MS;
    if (covered) return undefined;
    const best = results.channel.alternatives[0];
    const text = best?.transcript.trim() ?? '';
    const words = best?.words.map((word) => this.#word(word)) ?? [];
    const startMs = words[0]?.startMs ?? segmentStartMs;
    const endMs = words.at(-1)?.endMs ?? segmentEndMs;
    const heard = best?.languages?.[0] ?? best?.words.at(-1)?.language;
    const language = heard === undefined ? {} : { language: heard };
    if (!results.is_final) {
      if (text === '') return undefined;
      this.#hasInterim = true;
      return { type: 'interim', text, ...language, words, startMs, endMs };
    }
    this.#finalThroughMs = Math.max(this.#finalThroughMs, segmentEndMs);
    // An empty final is news if it withdraws the words of an interim, and after silence or as the answer to `finalize`.
    const isNews = this.#hasInterim || results.speech_final || results.from_finalize;
    this.#hasInterim = false;
    if (text === '' && !isNews) return undefined;
    // `speech_final` marks 100 ms of silence (`endpointing`): users pause longer within a number. It ends no turn.
    const silence = segmentEndMs > endMs ? { coveredMs: segmentEndMs } : {};
    return { type: 'final', text, ...language, words, startMs, endMs, ...silence };
  }

  #word(word: ListenResults['channel']['alternatives'][number]['words'][number]): TranscribedWord {
    return {
      text: word.punctuated_word ?? word.word,
      startMs: this.#ms(word.start),
      endMs: this.#ms(word.end),
    };
  }

  #ms(seconds: number): number {
    return Math.round(seconds * 1000) + this.#offsetMs;
  }
}
