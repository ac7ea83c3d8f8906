import { EchoDetector } from '../../../../sip/media/detection/echo/echo-detector.ts';
import { PlayedAudio } from '../../../../sip/media/detection/echo/played-audio.ts';
import { UserLevel } from '../../../../sip/media/detection/user-level.ts';
import { type VoiceActivity, VoiceActivityDetector } from '../../../../sip/media/detection/voice-activity.ts';

export const FRAME_SAMPLES = 160;
export const FRAME_MS = 20;
/** Amplitudes of the user's vowels and consonants. */
export const LOUD = 2_000;
const QUIET = 632;
/** The agent's. */
const AGENT = 8_000;

/** A wave that changes its sign with each sample: its mean square is that of the amplitude. */
export const wave = (amplitude: number) =>
  Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 === 0 ? amplitude : -amplitude));

/** A call frame by frame; everything over the gate is voice. */
export class VoiceActivityCall {
  readonly events: VoiceActivity[] = [];
  readonly played = new PlayedAudio();
  readonly detector: VoiceActivityDetector;
  resets = 0;
  frames = 0;
  #isAgentSpeaking = false;

  constructor(parts: { readonly echo?: boolean; readonly level?: boolean } = {}) {
    const classifier = { voiced: () => true, reset: () => void this.resets++, free: () => undefined };
    const echo = parts.echo === true ? new EchoDetector(this.played, () => undefined) : null;
    const level = parts.level === true ? new UserLevel(this.played) : null;
    this.detector = new VoiceActivityDetector(classifier, undefined, echo, level);
  }

  get nowMs(): number {
    return this.frames * FRAME_MS;
  }

  agent(speaks: boolean): this {
    this.#isAgentSpeaking = speaks;
    return this;
  }

  voice(frames: number, amplitude = LOUD): this {
    for (let at = 0; at < frames; at++) {
      if (this.#isAgentSpeaking) this.played.agent(wave(AGENT), FRAME_SAMPLES);
      else this.played.agentSilent(FRAME_MS);
      this.detector.write(wave(amplitude), FRAME_SAMPLES, (event) => this.events.push(event));
      this.frames++;
    }
    return this;
  }

  silence(frames: number): this {
    return this.voice(frames, 0);
  }

  /** Vowels and consonants of the user. */
  speech(frames: number): this {
    for (let at = 0; at < frames; at++) this.voice(1, at % 2 === 0 ? LOUD : QUIET);
    return this;
  }

  interrupt(): this {
    this.detector.interrupt((event) => this.events.push(event));
    return this;
  }

  /** The events since they were last read, without `speech_lasted`. */
  edges(): readonly (readonly [type: VoiceActivity['type'], audioMs: number])[] {
    return this.events
      .splice(0)
      .filter(({ type }) => type !== 'speech_lasted')
      .map(({ type, audioMs }) => [type, audioMs] as const);
  }

  /** The times of `speech_lasted`, of the events since they were last read. */
  lasted(): readonly (readonly [lastedMs: number, audioMs: number])[] {
    return this.events
      .splice(0)
      .flatMap((event) => (event.type === 'speech_lasted' ? [[event.lastedMs, event.audioMs] as const] : []));
  }
}
