import { type AudioFormat, bytesPerSample, durationMs } from '../../../base/audio/audio-format.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { silence } from './silence.ts';
import { GrowingWav } from './tape-files.ts';

interface Spoken {
  readonly format: AudioFormat;
  readonly pieces: Uint8Array[];
}

/**
 * `voice.wav` of a tape: the segments in the order of their ends, each as long as its `voice.done` or `voice.failed` says, so that the log
 * defines where each begins. Cancelled segments are left out. The file has the format of the first segment; a segment in another format
 * (of a fallback voice) is written as silence.
 */
export class VoiceTrack {
  readonly #path: string;
  readonly #callFormat: AudioFormat;
  readonly #onFault: (error: Error) => void;
  readonly #open = new Map<number, Spoken>();
  #file: GrowingWav | null = null;
  #openBytes = 0;

  constructor(path: string, callFormat: AudioFormat, onFault: (error: Error) => void) {
    this.#path = path;
    this.#callFormat = callFormat;
    this.#onFault = onFault;
  }

  get waitingBytes(): number {
    return this.#openBytes + (this.#file?.waitingBytes ?? 0);
  }

  take(segment: number, format: AudioFormat, audio: Uint8Array): void {
    const spoken = this.#open.get(segment) ?? { format, pieces: [] };
    spoken.pieces.push(audio);
    this.#open.set(segment, spoken);
    this.#openBytes += audio.length;
  }

  /** Takes ended and cancelled segments from the log. */
  follow({ event, commands }: TapeEntry): void {
    if (event.type === 'voice.done' || event.type === 'voice.failed') {
      const spoken = this.#leave(event.segment);
      if (spoken !== undefined) this.#append(spoken);
    }
    for (const command of commands) {
      if (command.type !== 'voice.cancel') continue;
      for (const segment of [...this.#open.keys()]) if (segment >= command.from) this.#leave(segment);
    }
  }

  async close(): Promise<void> {
    // A call without speech has a file without samples.
    await this.#fileOf(this.#callFormat).close();
  }

  abandon(): void {
    this.#open.clear();
    this.#openBytes = 0;
    this.#file?.abandon();
  }

  #leave(segment: number): Spoken | undefined {
    const spoken = this.#open.get(segment);
    this.#open.delete(segment);
    for (const piece of spoken?.pieces ?? []) this.#openBytes -= piece.length;
    return spoken;
  }

  #append({ format, pieces }: Spoken): void {
    const file = this.#fileOf(format);
    if (format.encoding === file.format.encoding && format.sampleRateHz === file.format.sampleRateHz) {
      for (const piece of pieces) file.write(piece);
      return;
    }
    const ms = pieces.reduce((sum, piece) => sum + durationMs(format, piece.length), 0);
    const samples = Math.round((ms * file.format.sampleRateHz) / 1000);
    file.write(silence(file.format, samples * bytesPerSample(file.format)));
  }

  #fileOf(format: AudioFormat): GrowingWav {
    this.#file ??= new GrowingWav(this.#path, format, this.#onFault);
    return this.#file;
  }
}
