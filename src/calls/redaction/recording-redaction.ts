import { durationMs } from '../../../base/audio/audio-format.ts';
import type { MediaSession } from '../../../sip/media/media-service.ts';
import type { RecordedStretch } from '../../../sip/recorder/copy-with-tone.ts';
import type { RecordingOutcome } from '../../../sip/recorder/recording-outcome.ts';
import { finishRedacted, removeUnredacted, storeRedactions } from '../recording/unredacted-recording.ts';
import { RecordingClock } from './recording-clock.ts';
import type { SpokenTimes } from './spoken-times.ts';

/**
 * A tone begins earlier and ends later by these margins, in ms. `audio`: transcribers' word times are exact to 150 ms, and the recorder's
 * jitter buffer of 200 ms places the user up to 200 ms later than received if the first packets came together, and up to 200 ms
 * earlier if later ones come late (`RECORDING_DELAY`). `engine`: the main thread may learn this much later that a segment is played.
 */
export const TONE_MARGIN_MS = { audio: 350, engine: 400 } as const;

export interface RecordingRedactionOptions {
  /** Path of the finished recording. */
  readonly path: string;
  readonly session: Pick<MediaSession, 'audio' | 'recordedMs'>;
  readonly spoken: Pick<SpokenTimes, 'all' | 'judgedMs'>;
  readonly onFault: (error: unknown) => void;
}

/**
 * Redacts the recording of one call at its end. During the call it stores what is known, so that a recording that is cut off by a crash
 * can be redacted, too.
 */
export class RecordingRedaction {
  readonly #options: RecordingRedactionOptions;
  readonly #clocks = { audio: new RecordingClock(), engine: new RecordingClock() };
  #heardMs = 0;
  #stored = '';
  #storing: Promise<void> = Promise.resolve();

  constructor(options: RecordingRedactionOptions) {
    this.#options = options;
  }

  /** The user's audio, as it is received. */
  heard(audio: Uint8Array): void {
    const { session } = this.#options;
    // If several packets come at once, only the last one was received now.
    this.#heardMs += durationMs(session.audio.format, audio.length);
    this.#clocks.audio.add(this.#heardMs, session.recordedMs);
  }

  /** An event of the call is processed at this engine time. */
  follow(atUs: number): void {
    this.#clocks.engine.add(atUs / 1000, this.#options.session.recordedMs);
    this.#store();
  }

  /**
   * Call it once the recording is closed. Never rejects: a recording that cannot be redacted is removed. One that another node has finished
   * stays.
   */
  async finish(recording: RecordingOutcome): Promise<RecordingOutcome> {
    const { onFault, path } = this.#options;
    await this.#storing;
    if (recording.path === null) {
      await removeUnredacted(path).catch(onFault);
      return recording;
    }
    try {
      const isFinishedHere = await finishRedacted(path, this.#stretches());
      // Another node took it for cut off.
      return { ...recording, path, complete: recording.complete && isFinishedHere };
    } catch (error) {
      onFault(error);
      await removeUnredacted(path).catch(onFault);
      return { path: null, complete: false, durationMs: 0 };
    }
  }

  #store(): void {
    const { onFault, path, spoken } = this.#options;
    const known = { stretches: this.#stretches(), judgedMs: this.#clocks.engine.recordedMs(spoken.judgedMs) };
    const line = JSON.stringify(known);
    if (line === this.#stored) return;
    this.#stored = line;
    // If storing fails, a crash makes more of the recording a tone, and hides no less.
    this.#storing = this.#storing.then(() => storeRedactions(path, known)).catch(onFault);
  }

  #stretches(): readonly RecordedStretch[] {
    return this.#options.spoken.all.map(({ clock, fromMs, toMs }) => ({
      fromMs: this.#clocks[clock].recordedMs(fromMs) - TONE_MARGIN_MS[clock],
      toMs: this.#clocks[clock].recordedMs(toMs) + TONE_MARGIN_MS[clock],
    }));
  }
}
