import { type AudioClock, audioTimeUs, withInboxEntry } from '../core/audio-clock.ts';
import type { InboxRecord } from '../core/event.ts';
import type { CallSpan } from './call-span.ts';
import { OpenSpans } from './open-spans.ts';

/**
 * The sounds on the line: the agent as it is heard, the user's voice activity, and the times at which their words were
 * known.
 */
export class SoundSpans {
  readonly #open = new OpenSpans();
  /** The segment whose audio leaves, also while playback is halted. */
  #playing: number | null = null;
  #isHalted = false;
  #isPaused = false;
  #audioClock: AudioClock | null = null;
  #audioMs = 0;
  /** The end of the last speech whose words have not come. */
  #spokenUs: number | null = null;

  add(record: InboxRecord): readonly CallSpan[] {
    this.#audioClock = withInboxEntry(this.#audioClock, record, this.#audioMs, this.#open.has('user'));
    this.#audioMs = record.audioMs ?? this.#audioMs;
    return [...this.#agent(record), ...this.#onCommands(record), ...this.#user(record)];
  }

  #agent({ event, atUs }: InboxRecord): readonly CallSpan[] {
    switch (event.type) {
      case 'media.segment_started':
        this.#playing = event.segment;
        this.#isPaused = false;
        return this.#update(atUs);
      case 'media.segment_ended':
      case 'media.cleared':
        this.#playing = null;
        this.#isPaused = false;
        return this.#update(atUs);
      case 'media.paused':
      case 'media.resumed':
        this.#isPaused = event.type === 'media.paused';
        return this.#update(atUs);
      case 'control.on_hold':
      case 'media.suspended':
      case 'control.off_hold':
      case 'media.restored':
        this.#isHalted = event.type === 'control.on_hold' || event.type === 'media.suspended';
        return this.#update(atUs);
      case 'control.ended':
        this.#playing = null;
        return [...this.#update(atUs), ...this.#open.endAll(atUs)];
      default:
        return [];
    }
  }

  /** A simulated media plane does not confirm that playback goes on. */
  #onCommands({ commands, atUs }: InboxRecord): readonly CallSpan[] {
    if (!this.#isPaused || !commands.some(({ type }) => type === 'playout.resume')) return [];
    this.#isPaused = false;
    return this.#update(atUs);
  }

  #update(atUs: number): readonly CallSpan[] {
    if (this.#playing === null || this.#isHalted || this.#isPaused) return this.#open.end('agent', atUs);
    this.#open.begin('agent', { type: 'agent_speech' }, atUs);
    return [];
  }

  #user({ event, atUs }: InboxRecord): readonly CallSpan[] {
    switch (event.type) {
      case 'media.speech_started':
        this.#open.begin('user', { type: 'voice_activity' }, this.#engineUs(event.audioMs, atUs));
        return [];
      case 'media.speech_stopped':
        this.#spokenUs = this.#engineUs(event.audioMs, atUs);
        return this.#open.end('user', this.#spokenUs);
      case 'transcriber.final':
      case 'transcriber.turn':
        return event.text === '' ? [] : this.#words(atUs);
      default:
        return [];
    }
  }

  #words(atUs: number): readonly CallSpan[] {
    const fromUs = this.#spokenUs;
    if (fromUs === null || this.#open.has('user')) return [];
    this.#spokenUs = null;
    return [{ type: 'transcription', fromUs, toUs: Math.max(fromUs, atUs) }];
  }

  #engineUs(audioMs: number, atUs: number): number {
    return Math.min(atUs, audioTimeUs(this.#audioClock ?? { epochUs: 0, gaps: [] }, audioMs));
  }
}
