import type { MediaEvent } from '../../../engine/ports/media.ts';
import { HEARD, type SessionMemory, SPEAKING } from '../worker-channel/session-memory.ts';
import { EchoDetector } from './echo/echo-detector.ts';
import type { PlayedAudio } from './echo/played-audio.ts';
import { type DetectedTone, ToneDetector } from './tone-detector.ts';
import { UserLevel } from './user-level.ts';
import { type VoiceActivity, VoiceActivityDetector, type VoiceClassifier } from './voice-activity.ts';

/** Speech has stopped after this time without audio: longer than any jitter that a call survives. */
export const SILENT_SOURCE_MS = 300;

export interface AudioEventDetectorOptions {
  readonly memory: SessionMemory;
  readonly classifier: VoiceClassifier;
  /** The audio that is played to the peer, to detect its echo. */
  readonly played: PlayedAudio;
  readonly emit: (event: MediaEvent) => void;
}

/** Detects events in the peer's audio at 8 kHz: voice activity, and tones while they are requested. */
export class AudioEventDetector {
  readonly #control: Int32Array;
  readonly #echo: EchoDetector;
  readonly #vad: VoiceActivityDetector;
  readonly #emitActivity: (activity: VoiceActivity) => void;
  readonly #emitTone: (tone: DetectedTone) => void;
  /** Null while tones are not requested. */
  #tones: ToneDetector | null = null;

  constructor({ memory, classifier, played, emit }: AudioEventDetectorOptions) {
    const { control } = memory;
    this.#control = control;
    this.#echo = new EchoDetector(played, (delayMs) => emit({ type: 'echo_learnt', delayMs }));
    const resumed = { samples: this.#heard, speaking: control[SPEAKING] === 1 };
    this.#vad = new VoiceActivityDetector(classifier, resumed, this.#echo, new UserLevel(played));
    this.#emitActivity = (activity) => {
      if (activity.type === 'speech_started') control[SPEAKING] = 1;
      else if (activity.type === 'speech_stopped') control[SPEAKING] = 0;
      emit(activity);
    };
    this.#emitTone = (tone) => emit(tone);
  }

  /** Time since the last voice. */
  get silentMs(): number {
    return this.#vad.silentMs;
  }

  /** The peer speaks, and it is certainly no echo. */
  get isNearEnd(): boolean {
    return this.#vad.isNearEnd;
  }

  /** Takes the next `length` samples of the stream for voice activity: without noise if noise is suppressed. */
  writeSpeech(samples: Int16Array, length: number): void {
    this.#control[HEARD] = ((this.#control[HEARD] ?? 0) + length) | 0;
    this.#vad.write(samples, length, this.#emitActivity);
  }

  /** `samples` of the stream are missing before the next ones for voice activity. Their positions do not count them. */
  skipSpeech(samples: number): void {
    this.#echo.skip(samples);
  }

  /** The next samples belong to another stream of the peer. */
  restart(): void {
    this.#echo.restart();
  }

  /** Takes the next `length` samples of the stream as they came, for tones. */
  writeTones(samples: Int16Array, length: number): void {
    this.#tones?.write(samples, length, this.#emitTone);
  }

  /** No audio arrived for `SILENT_SOURCE_MS`. */
  interrupt(): void {
    this.#vad.interrupt(this.#emitActivity);
    this.#tones?.interrupt(this.#emitTone);
  }

  listenForTones(on: boolean): void {
    if (on === (this.#tones !== null)) return;
    this.#tones = on ? new ToneDetector(this.#heard) : null;
  }

  free(): void {
    this.#vad.free();
  }

  get #heard(): number {
    return (this.#control[HEARD] ?? 0) >>> 0;
  }
}
