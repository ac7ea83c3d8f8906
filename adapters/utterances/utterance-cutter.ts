import type { AudioFormat } from '../../base/audio/audio-format.ts';
import { linearSamples } from '../../base/audio/linear-samples.ts';
import { WholeSamples } from '../audio/whole-samples.ts';
import { FRAME_MS, SpeechGate } from './speech-gate.ts';

/** Audio kept before speech is detected, at its fourth loud frame: soft beginnings such as «f» precede it. Unit: ms. */
const LEAD_MS = 300;
/** A longer utterance is cut and continues as the next one: recognisers accept about this much at once. Unit: ms. */
const UTTERANCE_MS_MAX = 30_000;

/** Times are ms of the audio passed to `take`. */
export type Cut =
  | { readonly type: 'speech'; readonly audioMs: number }
  | {
      readonly type: 'utterance';
      readonly samples: Int16Array;
      /** From the first loud frame to the end of the last one; the samples reach further on both sides. */
      readonly startMs: number;
      readonly endMs: number;
    };

/** Cuts a user's audio into utterances, by its loudness. */
export class UtteranceCutter {
  readonly #format: AudioFormat;
  readonly #whole: WholeSamples;
  readonly #gate = new SpeechGate();
  readonly #frameSamples: number;
  #rest = new Int16Array(0);
  #takenMs = 0;
  /** The current utterance, or the last `LEAD_MS` of audio between utterances. */
  #frames: Int16Array[] = [];
  #startMs: number | undefined;
  #endMs = 0;
  /** First loud frame of the audio kept between utterances. */
  #onsetMs: number | undefined;

  constructor(format: AudioFormat) {
    this.#format = format;
    this.#whole = new WholeSamples(format);
    this.#frameSamples = (format.sampleRateHz / 1000) * FRAME_MS;
  }

  take(audio: Uint8Array): readonly Cut[] {
    const samples = linearSamples(this.#format, this.#whole.take(audio));
    const all = this.#rest.length === 0 ? samples : joined([this.#rest, samples]);
    const cuts: Cut[] = [];
    let at = 0;
    for (; at + this.#frameSamples <= all.length; at += this.#frameSamples) {
      cuts.push(...this.#takeFrame(all.slice(at, at + this.#frameSamples)));
    }
    this.#rest = all.slice(at);
    return cuts;
  }

  /** Ends the current utterance; undefined without one. */
  cut(): Extract<Cut, { type: 'utterance' }> | undefined {
    if (this.#startMs === undefined) return undefined;
    // After a cut for length, the rest may be silence.
    const hasSpeech = this.#endMs > this.#startMs;
    const utterance = {
      type: 'utterance',
      samples: joined(this.#frames),
      startMs: this.#startMs,
      endMs: this.#endMs,
    } as const;
    this.#frames = [];
    this.#startMs = undefined;
    this.#onsetMs = undefined;
    return hasSpeech ? utterance : undefined;
  }

  #takeFrame(frame: Int16Array): readonly Cut[] {
    const fromMs = this.#takenMs;
    this.#takenMs += FRAME_MS;
    const { isLoud, isSpeech } = this.#gate.take(frame);
    this.#frames.push(frame);
    if (isLoud) {
      this.#onsetMs ??= fromMs;
      this.#endMs = this.#takenMs;
    }
    const cuts: Cut[] = [];
    if (isSpeech && this.#startMs === undefined) {
      this.#startMs = this.#onsetMs ?? fromMs;
      cuts.push({ type: 'speech', audioMs: this.#startMs });
    }
    const isTooLong = this.#frames.length * FRAME_MS >= UTTERANCE_MS_MAX;
    const utterance = !isSpeech || isTooLong ? this.cut() : undefined;
    if (utterance !== undefined) cuts.push(utterance);
    if (this.#startMs === undefined) this.#keepLead();
    return cuts;
  }

  #keepLead(): void {
    this.#frames = this.#frames.slice(-LEAD_MS / FRAME_MS);
    const oldestMs = this.#takenMs - this.#frames.length * FRAME_MS;
    if (this.#onsetMs !== undefined && this.#onsetMs < oldestMs) this.#onsetMs = undefined;
  }
}

function joined(parts: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
