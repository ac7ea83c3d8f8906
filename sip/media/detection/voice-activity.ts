import loadFvad, { type Fvad } from '@echogarden/fvad-wasm';
import { type LastedMs, SPEECH_LASTED_MS, SPEECH_STOP_LATENESS_MS } from '../../../engine/ports/media.ts';
import { ECHO, type EchoDetector, NEAR_END } from './echo/echo-detector.ts';
import type { UserLevel } from './user-level.ts';

/** libfvad accepts 10, 20 or 30 ms; a packet usually contains 20. */
const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
/** libfvad's aggressiveness, 0–3. Mode 2 accepts little line noise and misses no speech in the fixtures. */
const MODE = 2;
/** Mean square of −50 dBFS: quieter than a quiet talker on a poor line (−40), louder than a silent one (−60). */
const GATE_MEAN_SQUARE = (32_768 * 10 ** (-50 / 20)) ** 2;
/** Speech starts with three voiced frames in a row, 60 ms: a click or a breath is shorter, every syllable longer. */
const START_FRAMES = 3;
/** Speech stops after 200 ms without voice, so that the closure of a plosive does not end it. */
const HANGOVER_FRAMES = SPEECH_STOP_LATENESS_MS / FRAME_MS;

/** A voice as soft as the background continues the user's speech for 300 ms: the soft syllables of a sentence. */
const SOFT_FRAMES_MAX = 15;
/** A soft voice is reported as background after 200 ms: until then it may be the soft beginning of the user's speech. */
const BACKGROUND_FRAMES = 10;

/** Speech that lasts has voice in at least half of its frames; a series of knocks has less. */
const VOICED_SHARE_MIN = 0.5;

/**
 * `audioMs`: time in the peer's audio. Start and end are emitted `START_FRAMES` or `HANGOVER_FRAMES` later, those of the
 * background `BACKGROUND_FRAMES` later at most. A background that turns out to be a soft answer of the user stops where it
 * started, where the speech then starts: after 0.8 s of voice, or with its end.
 */
export type VoiceActivity =
  | { readonly type: 'speech_started'; readonly audioMs: number }
  | { readonly type: 'speech_stopped'; readonly audioMs: number }
  | { readonly type: 'speech_lasted'; readonly audioMs: number; readonly lastedMs: LastedMs }
  | { readonly type: 'background_speech_started'; readonly audioMs: number }
  | { readonly type: 'background_speech_stopped'; readonly audioMs: number };

export interface VoiceClassifier {
  /** Whether the first 160 samples, 20 ms at 8 kHz, contain voice. Called only for frames above the energy gate. */
  voiced(samples: Int16Array): boolean;
  reset(): void;
  free(): void;
}

/**
 * Voice activity of one peer: an energy gate, then a classifier, with hangover. A voice far softer than the user's is no
 * voice activity but background speech. Takes decoded audio of any packet length; allocates only for events.
 */
export class VoiceActivityDetector {
  readonly #classifier: VoiceClassifier;
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #frames = 0;
  #voicedRun = 0;
  #silentRun = 0;
  #speaking = false;
  readonly #echo: EchoDetector | null;
  readonly #level: UserLevel | null;
  /** The last frame as loud as the user, while they speak. */
  #lastLoud = 0;
  /** The first frame of the soft voice that is being heard while the user does not speak; −1: there is none. */
  #backgroundSince = -1;
  #isBackgroundReported = false;
  /** Frames of the current speech that are certainly the peer's own, and the first of them. */
  #nearFrames = 0;
  #nearSince = 0;
  /** How many of `SPEECH_LASTED_MS` the current speech has reached. */
  #lasted = 0;

  /**
   * @param resumed position and state of the previous detector of the same stream
   * @param echo separates the peer's own voice from its echo of the agent; null: no separation
   * @param level separates the user's voice from the background; null: every voice is the user's
   */
  constructor(
    classifier: VoiceClassifier,
    resumed = { samples: 0, speaking: false },
    echo: EchoDetector | null = null,
    level: UserLevel | null = null,
  ) {
    this.#classifier = classifier;
    this.#echo = echo;
    this.#level = level;
    this.#frames = Math.floor(resumed.samples / FRAME_SAMPLES);
    this.#filled = resumed.samples % FRAME_SAMPLES;
    this.#speaking = resumed.speaking;
    this.#lastLoud = this.#frames;
  }

  /** Time without voice so far, in ms; 0 before the first frame. */
  get silentMs(): number {
    return this.#silentRun * FRAME_MS;
  }

  /** The peer speaks, and it is certainly no echo. */
  get isNearEnd(): boolean {
    return this.#speaking && this.#nearFrames > 0;
  }

  /** Takes the next `length` samples of the stream. */
  write(samples: Int16Array, length: number, emit: (event: VoiceActivity) => void): void {
    if (this.#filled === 0 && length === FRAME_SAMPLES) {
      this.#judge(samples, emit);
      return;
    }
    for (let i = 0; i < length; i++) {
      this.#frame[this.#filled++] = samples[i] ?? 0;
      if (this.#filled < FRAME_SAMPLES) continue;
      this.#filled = 0;
      this.#judge(this.#frame, emit);
    }
  }

  /** The stream paused (no audio): the current speech has ended. */
  interrupt(emit: (event: VoiceActivity) => void): void {
    if (!this.#speaking && this.#voicedRun === 0 && this.#backgroundSince < 0) return;
    this.#voicedRun = 0;
    this.#nearFrames = 0;
    this.#level?.endSound();
    if (this.#speaking) this.#stop(this.#frames - this.#silentRun, emit);
    else if (this.#backgroundSince >= 0) this.#endSoftVoice(this.#frames - this.#silentRun, emit);
    this.#level?.endStretch();
    this.#classifier.reset();
  }

  free(): void {
    this.#classifier.free();
  }

  #judge(frame: Int16Array, emit: (event: VoiceActivity) => void): void {
    this.#frames++;
    this.#level?.pass();
    const source = this.#echo === null ? NEAR_END : this.#echo.hear(frame, this.#speaking);
    const power = source === ECHO ? 0 : meanSquare(frame);
    if (power < GATE_MEAN_SQUARE || !this.#classifier.voiced(frame)) {
      this.#unvoiced(emit);
      return;
    }
    this.#silentRun = 0;
    this.#voicedRun++;
    if (this.#isUser(power, source)) this.#lastLoud = this.#frames;
    else if (!this.#speaking || (this.#frames - this.#lastLoud > SOFT_FRAMES_MAX && !this.#isTailOfUser())) {
      this.#background(source, emit);
      return;
    }
    this.#countNear(source);
    if (!this.#speaking) {
      if (this.#voicedRun < START_FRAMES) return;
      this.#start(emit);
    }
    this.#countLasted(emit);
  }

  #isUser(power: number, source: number): boolean {
    const level = this.#level;
    if (level === null || level.isUser(power, source === NEAR_END)) return true;
    return !this.#speaking && level.isSoftAnswer(false);
  }

  #isTailOfUser(): boolean {
    return this.#level?.isTailOfUser() === true;
  }

  #unvoiced(emit: (event: VoiceActivity) => void): void {
    this.#voicedRun = 0;
    this.#level?.endSound();
    this.#silentRun++;
    const isPause = this.#silentRun >= HANGOVER_FRAMES;
    if (this.#speaking) {
      if (isPause) this.#stop(this.#frames - this.#silentRun, emit);
    } else if (this.#backgroundSince < 0) this.#nearFrames = 0;
    else if (isPause) this.#endSoftVoice(this.#frames - this.#silentRun, emit);
    if (isPause) this.#level?.endStretch();
  }

  /** A soft voice has paused: it was an answer of the user, or the background. */
  #endSoftVoice(untilFrame: number, emit: (event: VoiceActivity) => void): void {
    if (this.#level?.isSoftAnswer(true) === true) {
      this.#start(emit);
      this.#stop(untilFrame, emit);
    } else this.#endBackground(untilFrame, emit);
  }

  /** A voiced frame that is too soft for the user. */
  #background(source: number, emit: (event: VoiceActivity) => void): void {
    if (this.#speaking) {
      this.#stop(this.#lastLoud, emit);
      this.#level?.beginStretchWithTail();
      this.#backgroundSince = this.#lastLoud;
    } else if (this.#backgroundSince < 0) {
      if (this.#voicedRun < START_FRAMES) {
        this.#countNear(source);
        return;
      }
      this.#backgroundSince = this.#frames - START_FRAMES;
    }
    if (this.#isBackgroundReported || this.#frames - this.#backgroundSince < BACKGROUND_FRAMES) {
      if (!this.#isBackgroundReported) this.#countNear(source);
      return;
    }
    this.#nearFrames = 0;
    this.#reportBackground(emit);
  }

  #reportBackground(emit: (event: VoiceActivity) => void): void {
    this.#isBackgroundReported = true;
    emit({ type: 'background_speech_started', audioMs: this.#backgroundSince * FRAME_MS });
  }

  #endBackground(untilFrame: number, emit: (event: VoiceActivity) => void): void {
    if (!this.#isBackgroundReported) this.#reportBackground(emit);
    this.#reportBackgroundEnd(untilFrame, emit);
    this.#backgroundSince = -1;
    this.#nearFrames = 0;
  }

  #reportBackgroundEnd(untilFrame: number, emit: (event: VoiceActivity) => void): void {
    this.#isBackgroundReported = false;
    emit({ type: 'background_speech_stopped', audioMs: untilFrame * FRAME_MS });
  }

  /** The user's speech begins with the soft voice before it, unless that was the background's. */
  #start(emit: (event: VoiceActivity) => void): void {
    const since = this.#frames - START_FRAMES;
    const isBegun = this.#backgroundSince >= 0;
    const isBackground = isBegun && this.#isBackgroundReported && this.#level?.isSoftAnswer(true) !== true;
    const from = isBegun && !isBackground ? this.#backgroundSince : since;
    if (this.#isBackgroundReported) {
      this.#reportBackgroundEnd(from, emit);
      this.#nearFrames = 1;
      this.#nearSince = since;
    }
    this.#backgroundSince = -1;
    this.#speaking = true;
    emit({ type: 'speech_started', audioMs: from * FRAME_MS });
  }

  #countNear(source: number): void {
    if (source === NEAR_END && this.#nearFrames++ === 0) this.#nearSince = this.#frames - 1;
  }

  /** Speech has lasted for one of the times in `SPEECH_LASTED_MS` when a voiced frame comes that long after the first, with voice in between. */
  #countLasted(emit: (event: VoiceActivity) => void): void {
    const lastedMs = SPEECH_LASTED_MS[this.#lasted];
    const span = this.#frames - this.#nearSince;
    if (lastedMs === undefined || this.#nearFrames === 0 || span * FRAME_MS < lastedMs) return;
    if (this.#nearFrames < VOICED_SHARE_MIN * span) return;
    this.#lasted++;
    emit({ type: 'speech_lasted', audioMs: this.#nearSince * FRAME_MS, lastedMs });
  }

  #stop(untilFrame: number, emit: (event: VoiceActivity) => void): void {
    this.#speaking = false;
    this.#nearFrames = 0;
    this.#lasted = 0;
    emit({ type: 'speech_stopped', audioMs: untilFrame * FRAME_MS });
  }
}

/** Loads the WebAssembly once per worker. The returned function creates a classifier for each call. */
export async function loadVoiceClassifiers(): Promise<() => VoiceClassifier> {
  const fvad = await loadFvad();
  const samples = fvad._malloc(FRAME_SAMPLES * 2);
  return () => createClassifier(fvad, samples);
}

function createClassifier(fvad: Fvad, samples: number): VoiceClassifier {
  const instance = fvad._fvad_new();
  if (instance === 0) throw new RangeError('No memory for another voice detector');
  fvad._fvad_set_mode(instance, MODE);
  return {
    voiced(frame) {
      const heap = fvad.HEAP16;
      for (let i = 0; i < FRAME_SAMPLES; i++) heap[(samples >> 1) + i] = frame[i] ?? 0;
      return fvad._fvad_process(instance, samples, FRAME_SAMPLES) === 1;
    },
    reset() {
      fvad._fvad_reset(instance);
      fvad._fvad_set_mode(instance, MODE);
    },
    free() {
      fvad._fvad_free(instance);
    },
  };
}

function meanSquare(frame: Int16Array): number {
  let sum = 0;
  for (let i = 0; i < FRAME_SAMPLES; i++) {
    const sample = frame[i] ?? 0;
    sum += sample * sample;
  }
  return sum / FRAME_SAMPLES;
}
