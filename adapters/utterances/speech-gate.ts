/** Duration of the frames passed to `take`. */
export const FRAME_MS = 20;
/** Audio this much louder than the noise of the line is a voice. Unit: dB. */
const ABOVE_NOISE_DB = 12;
/** During speech the threshold is this much lower, because a voice falls between its syllables. Unit: dB. */
const HYSTERESIS_DB = 4;
/** Speech into a telephone is louder than this, even on a quiet line. Unit: dB of full scale. */
const SPEECH_DB_MIN = -48;
/** Level of digital silence, whose logarithm would be infinite. Unit: dB of full scale. */
const DIGITAL_SILENCE_DB = -90;
/** First estimate of the line's noise. Unit: dB of full scale. */
const NOISE_DB_INITIAL = -60;
/** How fast the noise estimate rises, so that a line that became louder does not count as a voice forever. Unit: dB per frame. */
const NOISE_RISE_DB = 0.05;
/** Slower during speech, so that the voice itself does not raise the estimate. Unit: dB per frame. */
const NOISE_RISE_SPEAKING_DB = 0.005;
/** Share of a fall that each frame adds to the noise estimate. */
const NOISE_FALL = 0.2;
/** Loud frames among the last `ONSET_WINDOW` that start speech: 80 ms of 120. A click is shorter, a «yes» is longer. */
const ONSET_FRAMES = 4;
const ONSET_WINDOW = 6;
/** Silence that ends an utterance: longer than a stop consonant, shorter than the pause between two sentences. Unit: ms. */
export const HANGOVER_MS = 300;
const FULL_SCALE = 32_768;

/** `isLoud`: the frame contains a voice. `isSpeech`: the frame belongs to speech, including pauses below 300 ms. */
export interface GatedFrame {
  readonly isLoud: boolean;
  readonly isSpeech: boolean;
}

/** Separates speech from silence by its loudness above the line's noise. Time is counted in frames of 20 ms. */
export class SpeechGate {
  #noiseDb = NOISE_DB_INITIAL;
  #recent: boolean[] = [];
  #isSpeech = false;
  #quietMs = 0;

  take(frame: Int16Array): GatedFrame {
    const levelDb = levelOf(frame);
    const thresholdDb = Math.max(this.#noiseDb + ABOVE_NOISE_DB, SPEECH_DB_MIN);
    const isLoud = levelDb > thresholdDb - (this.#isSpeech ? HYSTERESIS_DB : 0);
    this.#learnNoise(levelDb);
    this.#recent = [...this.#recent.slice(1 - ONSET_WINDOW), isLoud];
    this.#quietMs = isLoud ? 0 : this.#quietMs + FRAME_MS;
    if (this.#isSpeech) this.#isSpeech = this.#quietMs < HANGOVER_MS;
    else this.#isSpeech = isLoud && this.#recent.filter(Boolean).length >= ONSET_FRAMES;
    if (!this.#isSpeech && this.#quietMs === HANGOVER_MS) this.#recent = [];
    return { isLoud, isSpeech: this.#isSpeech };
  }

  #learnNoise(levelDb: number): void {
    if (levelDb < this.#noiseDb) this.#noiseDb += (levelDb - this.#noiseDb) * NOISE_FALL;
    else this.#noiseDb += this.#isSpeech ? NOISE_RISE_SPEAKING_DB : NOISE_RISE_DB;
  }
}

function levelOf(frame: Int16Array): number {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  const rms = Math.sqrt(sum / Math.max(frame.length, 1)) / FULL_SCALE;
  return rms === 0 ? DIGITAL_SILENCE_DB : Math.max(DIGITAL_SILENCE_DB, 20 * Math.log10(rms));
}
