import type { TranscriberEvent } from '../../engine/ports/transcriber.ts';
import type { SpeechCommits } from '../socket-transcriber/speech-commits.ts';
import { decodeRealtimeMessage } from './realtime-message.ts';

/** Bound of final items remembered, so that late or repeated messages about them are ignored. */
const SETTLED_MAX = 64;

/**
 * Turns the messages of a realtime transcription session into our events. Each committed stretch of audio is an item.
 * Items may complete in any order (https://developers.openai.com/api/docs/guides/realtime-transcription); their
 * finals are emitted in the order of the speech.
 */
export class RealtimeItems {
  readonly #provider: string;
  readonly #commits: SpeechCommits;
  /** Interim words of items that are not final. */
  readonly #words = new Map<string, string>();
  #settled: string[] = [];

  constructor(provider: string, commits: SpeechCommits) {
    this.#provider = provider;
    this.#commits = commits;
  }

  eventsOf(text: string): readonly TranscriberEvent[] {
    const message = decodeRealtimeMessage(this.#provider, text);
    switch (message.type) {
      case 'ignored':
        return [];
      case 'failed':
        return message.error === null ? this.#final('') : [{ type: 'failed', error: message.error }];
      case 'committed':
        if (!this.#settled.includes(message.item)) this.#commits.name(message.item);
        return [];
      case 'delta':
        return this.#settled.includes(message.item) ? [] : this.#heard(message.item, message.text);
      case 'completed':
        if (this.#settled.includes(message.item)) return [];
        // The provider does not promise the order of these two messages.
        this.#commits.name(message.item);
        this.#words.delete(message.item);
        this.#settled = [...this.#settled, message.item].slice(-SETTLED_MAX);
        return this.#final(message.text.trim(), message.item);
    }
  }

  #heard(item: string, delta: string): readonly TranscriberEvent[] {
    const words = (this.#words.get(item) ?? '') + delta;
    this.#words.set(item, words);
    const span = words.trim() === '' ? null : this.#commits.spanOf(item);
    if (span === null) return [];
    return [{ type: 'interim', text: words.trim(), startMs: span.startMs, endMs: span.endMs }];
  }

  #final(text: string, item?: string): readonly TranscriberEvent[] {
    return this.#commits.settle(text, item).map((said) => ({ type: 'final', words: [], ...said }));
  }
}
