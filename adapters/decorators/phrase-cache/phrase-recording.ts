import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { SpokenWord, VoiceEvent } from '../../../engine/ports/voice.ts';
import type { Phrase } from './phrase.ts';

/** Of one sentence; longer audio is no phrase. */
const BYTES_MAX = 4 * 1024 * 1024;

/** What a voice emits of one segment, collected while it passes. */
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
    // The bytes are their receiver's, who may change them.
    if (this.#isWhole) this.#audio.push(Uint8Array.from(event.audio));
  }

  /** Once the segment is done; null where nothing of it can be kept. */
  phrase(): Phrase | null {
    if (!this.#isWhole || this.#format === null || this.#bytes === 0) return null;
    return { format: this.#format, audio: Buffer.concat(this.#audio), words: this.#words };
  }
}
