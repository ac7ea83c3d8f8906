import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { CallEvent } from '../../core/event.ts';
import type { Tape } from '../tape-file.ts';
import { SimulatedMedia, silenceOf } from './simulated-media.ts';
import { UserAudioClock, type UserCue, type UserTrack, userTrack } from './user-track.ts';

/**
 * The user of a tape on a simulated clock, with the line to them. They do what they did when they did it: their sounds,
 * words and keys come at their places in their audio, holds and their end at their times after the answer.
 */
export class TapeUser {
  readonly media: SimulatedMedia;
  readonly #track: UserTrack;
  readonly #audio: UserAudioClock;
  readonly #clock: SimulatedClock;
  readonly #post: (event: CallEvent) => void;
  #answeredUs: number | null = null;
  #heardSamples = 0;

  /** Nothing happens before `begin`. */
  constructor({ header, entries }: Tape, clock: SimulatedClock, post: (event: CallEvent) => void) {
    this.#clock = clock;
    this.#post = post;
    this.#track = userTrack(entries);
    this.#audio = new UserAudioClock(entries, this.#track.answeredUs ?? 0);
    this.media = new SimulatedMedia(clock, header.format, () => this.#hearFrame());
  }

  get firstEvent(): CallEvent {
    return this.#track.firstEvent;
  }

  /** Plans what comes before the answer. */
  begin(): void {
    const untilUs = this.#track.answeredUs === null ? Number.POSITIVE_INFINITY : 0;
    this.#plan(this.#track.answeredUs ?? 0, ({ offsetUs }) => offsetUs < untilUs);
  }

  /** The call is answered now: plans the rest. */
  answered(): void {
    if (this.#answeredUs !== null) return;
    this.#answeredUs = this.#clock.nowUs();
    this.#plan(this.#answeredUs, ({ offsetUs }) => offsetUs >= 0);
    this.media.start();
  }

  #plan(originUs: number, which: (cue: UserCue) => boolean): void {
    for (const cue of this.#track.cues.filter(which)) {
      this.#clock.at((originUs + cue.offsetUs) / 1000, () => this.#play(cue));
    }
  }

  #play({ event, audioMs }: UserCue): void {
    this.#hearUntil(audioMs);
    if (event === null) return;
    if (event.type === 'control.on_hold' || event.type === 'media.suspended') this.media.halt(true);
    if (event.type === 'control.off_hold' || event.type === 'media.restored') this.media.halt(false);
    this.#post(event);
  }

  #hearFrame(): void {
    this.#hearUntil(this.#audio.audioMsAt(this.#clock.nowUs() - (this.#answeredUs ?? 0)));
  }

  /** What they say is known by its events: their audio itself is silence here. */
  #hearUntil(audioMs: number): void {
    const { format } = this.media;
    const samples = Math.floor((audioMs * format.sampleRateHz) / 1000) - this.#heardSamples;
    if (samples <= 0) return;
    this.#heardSamples += samples;
    this.media.hear(silenceOf(format, samples));
  }
}
