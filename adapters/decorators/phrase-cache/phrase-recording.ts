import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { SpokenWord, VoiceEvent } from '../../../engine/ports/voice.ts';
import type { Phrase } from './phrase.ts';

/** Bound of a phrase's audio; longer audio is not cached. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Collects the events of one segment while they pass. */
export class PhraseRecording {
  #format: AudioFormat | null = null;
  readonly #audio: Uint8Array[] = [];
  #words: readonly SpokenWord[] = [];
  #bytes = 0;
  #isWhole = true;

  take(event: VoiceEvent): void {
    if (event.type === 'words') this.#words = [...this.#words, ...event.words];
    if (event.type !== 'audio') return;
    this.#format ??= event.format;
    this.#bytes += event.audio.length;
    const { encoding, sampleRateHz } = this.#format;
    const isSame = event.format.encoding === encoding && event.format.sampleRateHz === sampleRateHz;
    if (!isSame || this.#bytes > BYTES_MAX) this.#isWhole = false;
    // A copy: the receiver may change the bytes.
    if (this.#isWhole) this.#audio.push(Uint8Array.from(event.audio));
  }

  /** The recorded phrase of a finished segment; null if it cannot be cached. */
  phrase(): Phrase | null {
    if (!this.#isWhole || this.#format === null || this.#bytes === 0) return null;
    return { format: this.#format, audio: Buffer.concat(this.#audio), words: this.#words };
  }
}
