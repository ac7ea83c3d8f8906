/** Of the samples that `take` is given. */
export const FRAME_MS = 20;
/** What stands so far above the line's own noise is a voice. Unit: dB. */
const ABOVE_NOISE_DB = 12;
/** A voice may fall so far between its syllables before it counts as silent. Unit: dB. */
const HYSTERESIS_DB = 4;
/** Speech into a telephone is louder than this, however quiet the line. Unit: dB of full scale. */
const SPEECH_DB_MIN = -48;
/** A line without any noise at all; the logarithm of nothing is none. Unit: dB of full scale. */
const STILL_DB = -90;
/** The line's noise before it was heard. Unit: dB of full scale. */
const NOISE_DB_AT_FIRST = -60;
/** How fast the noise is believed to grow, so that a line grown louder is not taken for a voice for ever. Unit: dB a frame. */
const NOISE_RISE_DB = 0.05;
/** The same while somebody speaks, whose own voice it must not learn. */
const NOISE_RISE_SPEAKING_DB = 0.005;
/** The part of a fall that is believed with each frame. */
const NOISE_FALL = 0.2;
/** Loud frames of the last `ONSET_WINDOW` that make speech: 80 ms of 120. A click is shorter, a «yes» is longer. */
const ONSET_FRAMES = 4;
const ONSET_WINDOW = 6;
/** Silence that ends an utterance: longer than a stop consonant, shorter than the pause between two sentences. Unit: ms. */
export const HANGOVER_MS = 300;
const FULL_SCALE = 32_768;

/** `isLoud`: this very frame has a voice. `isSpeech`: it belongs to speech, pauses of less than 300 ms included. */
export interface GatedFrame {
  readonly isLoud: boolean;
  readonly isSpeech: boolean;
}

/** Tells speech from silence by its loudness above the line's own noise. It knows no clock: a frame is 20 ms. */
export class SpeechGate {
  #noiseDb = NOISE_DB_AT_FIRST;
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
  return rms === 0 ? STILL_DB : Math.max(STILL_DB, 20 * Math.log10(rms));
}
