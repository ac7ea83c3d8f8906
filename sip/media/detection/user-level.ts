import type { PlayedAudio } from './echo/played-audio.ts';

/** A voice softer than this user's level by more than this, in dB, is background. */
const BACKGROUND_DB = 8.5;
const BACKGROUND_RATIO = 10 ** (-BACKGROUND_DB / 10);
/**
 * A whole stretch of voice may be softer, in dB below the user's mean level: means of stretches differ by 1 dB a speaker,
 * of single words by 3 dB. An answer that the agent waits for is probably the user's.
 */
const SOFT_ANSWER_RATIO = 10 ** (-12 / 10);
const SOFT_STRETCH_RATIO = 10 ** (-9.5 / 10);
/** A user who has moved away from the phone is softer than that by up to this, if the agent has had to speak again. */
const MOVED_AWAY_RATIO = 10 ** (-20 / 10);
/** More soft voice under the agent than 0.2 s is another person's or a television's: a user listens. */
const LISTENING_FRAMES_MAX = 10;
/** An answer has voice of 0.4 s; less may be a noise. */
const SOFT_TURN_FRAMES_MIN = 20;
/** The mean of a stretch covers about its last second of voice. */
const STRETCH_MEAN_FRAMES = 50;
/** A stretch that goes on is judged after 0.8 s of voice: no 0.8 s of a voice are much louder than all of it. */
const STRETCH_FRAMES_MIN = 40;
/** Soft voice of 1 s under the agent's question is a television: the soft voice after it is no answer. */
const TELEVISION_FRAMES_MIN = 50;
/** Frames whose mean power is compared: single peaks of a distant voice are louder than its syllables. */
const MEAN_FRAMES = 8;
/** The level is the 75th percentile of the user's voiced frames: that of their vowels. */
const LOUDER_SHARE = 0.25;
/** The level is known after 0.8 s of voiced frames. */
const FRAMES_MIN = 40;
/** At this number the counts are halved: about the last 15 s of voice count. */
const FRAMES_MAX = 1_000;
/** Classes of power of 1.5 dB each, from 0 to 96 dB. */
const CLASSES = 64;
const CLASSES_PER_OCTAVE = 2;
/** The first frames of a sound are filled only in part. */
const ONSET_FRAMES = 2;
/** Ratio of the loudest to the softest frame of a sound from which on it is speech, no tone: 8 dB. */
const SPEECH_RANGE = 10 ** (8 / 10);
/** Neither the agent nor the user was heard for 5 s: the next voice is the user. */
export const FORGOTTEN_FRAMES = 250;
/** After 1.5 s of softer voice it is the level of another speaker, or of a user who has moved away. */
const SOFT_FRAMES_MAX = 75;

/**
 * Learns how loud this user speaks, and compares each voiced frame and each stretch of voice with it. Until the
 * level is known, and after a silence of both parties, every voice is the user's. Allocates nothing per frame.
 */
export class UserLevel {
  readonly #played: PlayedAudio;
  readonly #counts = new Uint16Array(CLASSES);
  #counted = 0;
  /** Mean square from which on a voice is this user's; 0: every voice is. */
  #leastPower = 0;
  /** Mean power of the frames that were learnt from. */
  #meanLevel = 0;
  #isAgentHeard = false;
  /** The agent spoke last, and no voice in the background was heard under it. */
  #isSoftAnswerLikely = false;
  /** Soft voiced frames since the agent began to speak. */
  #softUnderAgent = 0;
  readonly #powers = new Float64Array(MEAN_FRAMES);
  /** Soft voiced frames since the agent fell silent; −1: the user was heard too. */
  #softTurnFrames = -1;
  /** Soft voiced frames under the agent since the user was heard. */
  #softOverlapFrames = 0;
  /** Only a soft voice answered the agent, which then spoke again: the user may have moved away. */
  #hasMovedAway = false;
  /** Voiced frames of the current sound. */
  #soundFrames = 0;
  #softest = 0;
  #loudest = 0;
  /** Voiced frames of the current stretch, and their mean power. */
  #stretchFrames = 0;
  #stretchMean = 0;
  /** Voiced frames since the last loud one, and their mean power. */
  #tailFrames = 0;
  #tailMean = 0;
  /** Frames since the user was heard, without those in which the agent was. */
  #unheardFrames = 0;
  #softFrames = 0;

  constructor(played: PlayedAudio) {
    this.#played = played;
  }

  /** Counts each frame, voiced or not. */
  pass(): void {
    if (this.#leastPower === 0) return;
    const isAgentHeard = this.#played.isHeard;
    if (!isAgentHeard) this.#unheardFrames++;
    else if (!this.#isAgentHeard) {
      if (this.#softTurnFrames >= SOFT_TURN_FRAMES_MIN && this.#isListening()) this.#hasMovedAway = true;
      this.#isSoftAnswerLikely = true;
      this.#softUnderAgent = 0;
    } else this.#softTurnFrames = 0;
    this.#isAgentHeard = isAgentHeard;
  }

  /** The next voiced frame belongs to another sound. */
  endSound(): void {
    this.#soundFrames = 0;
  }

  /** The next voiced frame belongs to another stretch: there was a pause. */
  endStretch(): void {
    if (this.#isStretchLoud()) this.#isSoftAnswerLikely = false;
    else if (this.#hasMovedAway && this.isSoftAnswer(true)) this.#forget();
    this.#stretchFrames = 0;
  }

  /**
   * Whether the current stretch of voice, however soft its frames, is a soft answer of the user: loud enough as a whole, while
   * the agent is silent. It never interrupts.
   *
   * @param isOver it has ended: a word is judged as well as a sentence
   */
  isSoftAnswer(isOver: boolean): boolean {
    if (this.#isAgentHeard || this.#stretchFrames < (isOver ? MEAN_FRAMES : STRETCH_FRAMES_MIN)) return false;
    return this.#stretchMean >= this.#meanLevel * this.#answerRatio();
  }

  #answerRatio(): number {
    if (!this.#isSoftAnswerLikely) return SOFT_STRETCH_RATIO;
    return this.#hasMovedAway && this.#isListening() ? MOVED_AWAY_RATIO : SOFT_ANSWER_RATIO;
  }

  #isListening(): boolean {
    return this.#softOverlapFrames <= LISTENING_FRAMES_MAX;
  }

  /** Whether the soft voice after the user's speech is still theirs: people end sentences softly. */
  isTailOfUser(): boolean {
    if (this.#isAgentHeard) return false;
    return (
      this.#tailMean >= this.#meanLevel * SOFT_ANSWER_RATIO || (!this.#isStretchLoud() && this.isSoftAnswer(false))
    );
  }

  /** The soft voice after the user's speech is another's, unless it is judged otherwise as a whole. */
  beginStretchWithTail(): void {
    if (!this.#isStretchLoud()) return;
    this.#isSoftAnswerLikely = false;
    this.#stretchFrames = this.#tailFrames;
    this.#stretchMean = this.#tailMean;
  }

  /**
   * Whether a voiced frame is as loud as this user.
   *
   * @param power its mean square
   * @param isNearEnd it is certainly no echo: the level is learnt from it
   */
  isUser(power: number, isNearEnd: boolean): boolean {
    const mean = this.#meanPower(power);
    this.#stretchMean += (power - this.#stretchMean) / Math.min(++this.#stretchFrames, STRETCH_MEAN_FRAMES);
    const isLoud = mean >= this.#leastPower;
    if (isLoud) this.#tailFrames = 0;
    else this.#tailMean += (power - this.#tailMean) / Math.min(++this.#tailFrames, STRETCH_MEAN_FRAMES);
    if (isLoud) {
      this.#unheardFrames = 0;
      this.#softFrames = 0;
      this.#softTurnFrames = -1;
      this.#softOverlapFrames = 0;
      this.#hasMovedAway = false;
    } else if (this.#unheardFrames < FORGOTTEN_FRAMES) {
      this.#countSoft();
      return false;
    } else if (isNearEnd && ++this.#softFrames >= SOFT_FRAMES_MAX) this.#forget();
    if (isNearEnd && (isLoud || this.#leastPower === 0)) this.#learn(power);
    return true;
  }

  #countSoft(): void {
    if (this.#isAgentHeard) {
      this.#softOverlapFrames++;
      if (++this.#softUnderAgent >= TELEVISION_FRAMES_MIN) this.#isSoftAnswerLikely = false;
    } else if (this.#softTurnFrames >= 0) this.#softTurnFrames++;
  }

  #isStretchLoud(): boolean {
    return this.#stretchFrames >= MEAN_FRAMES && this.#stretchMean >= this.#leastPower;
  }

  #meanPower(power: number): number {
    const powers = this.#powers;
    powers[this.#soundFrames % MEAN_FRAMES] = power;
    const frames = Math.min(++this.#soundFrames, MEAN_FRAMES);
    let sum = 0;
    for (let i = 0; i < frames; i++) sum += powers[i] ?? 0;
    return sum / frames;
  }

  /** Tones are not learnt from: ringing and machines sound before a user speaks. */
  #learn(power: number): void {
    if (this.#soundFrames <= ONSET_FRAMES) return;
    const isFirst = this.#soundFrames === ONSET_FRAMES + 1;
    this.#softest = isFirst ? power : Math.min(this.#softest, power);
    this.#loudest = isFirst ? power : Math.max(this.#loudest, power);
    if (this.#loudest < this.#softest * SPEECH_RANGE) return;
    const counts = this.#counts;
    const index = Math.min(CLASSES - 1, Math.floor(Math.log2(power + 1) * CLASSES_PER_OCTAVE));
    counts[index] = (counts[index] ?? 0) + 1;
    this.#meanLevel += (power - this.#meanLevel) / (this.#counted + 1);
    if (++this.#counted >= FRAMES_MAX) this.#halve();
    if (this.#counted < FRAMES_MIN) return;
    let louder = 0;
    let level = CLASSES - 1;
    for (; level > 0 && louder <= LOUDER_SHARE * this.#counted; level--) louder += counts[level] ?? 0;
    this.#leastPower = 2 ** ((level + 1) / CLASSES_PER_OCTAVE) * BACKGROUND_RATIO;
  }

  #halve(): void {
    this.#counted = 0;
    for (let i = 0; i < CLASSES; i++) {
      const half = (this.#counts[i] ?? 0) >> 1;
      this.#counts[i] = half;
      this.#counted += half;
    }
  }

  #forget(): void {
    this.#counts.fill(0);
    this.#counted = 0;
    this.#leastPower = 0;
    this.#meanLevel = 0;
    this.#unheardFrames = 0;
    this.#softFrames = 0;
    this.#softOverlapFrames = 0;
    this.#hasMovedAway = false;
  }
}
