import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { CallEvent } from '../../core/event.ts';
import type { Tape } from '../tape-file.ts';
import { SimulatedMedia, silenceOf } from './simulated-media.ts';
import { UserAudioClock, type UserCue, type UserTrack, userTrack } from './user-track.ts';

/**
 * The user of a tape on a simulated clock, with their media. Sounds and DTMF digits come at the recorded positions of the
 * user's audio; hold and hang-up come at the recorded times after the answer.
 */
export class TapeUser {
  readonly media: SimulatedMedia;
  readonly #track: UserTrack;
  readonly #audio: UserAudioClock;
  readonly #clock: SimulatedClock;
  readonly #post: (event: CallEvent) => void;
  #answeredUs: number | null = null;
  #sentSamples = 0;
  #pauseMs: number | null = null;

  /** No event is posted before `begin`. */
  constructor({ header, entries }: Tape, clock: SimulatedClock, post: (event: CallEvent) => void) {
    this.#clock = clock;
    this.#post = post;
    this.#track = userTrack(entries);
    this.#audio = new UserAudioClock(entries, this.#track.answeredUs ?? 0);
    this.media = new SimulatedMedia(clock, header.format, () => this.#sendFrame());
  }

  get firstEvent(): CallEvent {
    return this.#track.firstEvent;
  }

  /** Position of the user's last pause in their audio, in ms; null before the first one. */
  get pauseMs(): number | null {
    return this.#pauseMs;
  }

  /** Schedules the cues before the answer. */
  begin(): void {
    const untilUs = this.#track.answeredUs === null ? Number.POSITIVE_INFINITY : 0;
    this.#schedule(this.#track.answeredUs ?? 0, ({ offsetUs }) => offsetUs < untilUs);
  }

  /** The call is answered now: schedules the remaining cues. */
  answered(): void {
    if (this.#answeredUs !== null) return;
    this.#answeredUs = this.#clock.nowUs();
    this.#schedule(this.#answeredUs, ({ offsetUs }) => offsetUs >= 0);
    this.media.start();
  }

  #schedule(originUs: number, which: (cue: UserCue) => boolean): void {
    for (const cue of this.#track.cues.filter(which)) {
      this.#clock.at((originUs + cue.offsetUs) / 1000, () => this.#play(cue));
    }
  }

  #play({ event, audioMs }: UserCue): void {
    this.#sendAudioUntil(audioMs);
    if (event === null) return;
    if (event.type === 'media.speech_stopped') this.#pauseMs = event.audioMs;
    if (event.type === 'control.on_hold' || event.type === 'media.suspended') this.media.halt(true);
    if (event.type === 'control.off_hold' || event.type === 'media.restored') this.media.halt(false);
    this.#post(event);
  }

  #sendFrame(): void {
    this.#sendAudioUntil(this.#audio.audioMsAt(this.#clock.nowUs() - (this.#answeredUs ?? 0)));
  }

  /** The recorded transcriber events define the user's words, so the audio itself is silence. */
  #sendAudioUntil(audioMs: number): void {
    const { format } = this.media;
    const samples = Math.floor((audioMs * format.sampleRateHz) / 1000) - this.#sentSamples;
    if (samples <= 0) return;
    this.#sentSamples += samples;
    this.media.receive(silenceOf(format, samples));
  }
}
