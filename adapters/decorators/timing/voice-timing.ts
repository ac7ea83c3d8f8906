import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';

/** Called with the time from a segment's text to its first audio, in ms, if no earlier segment was pending. */
export type ReportFirstAudio = (options: VoiceOptions, ms: number) => void;

/**
 * Measures the time to first audio of the provider. It is placed between the provider and the phrase cache, so cache hits are
 * not measured.
 */
export function withVoiceTiming(voice: Voice, report: ReportFirstAudio): Voice {
  return { open: (options, emit) => new TimedVoiceStream(voice, options, emit, report) };
}

class TimedVoiceStream implements VoiceStream {
  readonly #stream: VoiceStream;
  #pending = 0;
  /** Request time of the one segment that is measured, until its first audio or its end; null otherwise. */
  #requestedMs: number | null = null;

  constructor(voice: Voice, options: VoiceOptions, emit: (event: VoiceEvent) => void, report: ReportFirstAudio) {
    this.#stream = voice.open(options, (event) => {
      const requestedMs = this.#requestedMs;
      if (event.type !== 'words') this.#requestedMs = null;
      if (event.type === 'done' || event.type === 'failed') this.#pending--;
      emit(event);
      if (event.type === 'audio' && requestedMs !== null) report(options, performance.now() - requestedMs);
    });
  }

  speak(segment: number, text: string): void {
    if (this.#pending === 0) this.#requestedMs = performance.now();
    this.#pending++;
    this.#stream.speak(segment, text);
  }

  cancel(): void {
    this.#pending = 0;
    this.#requestedMs = null;
    this.#stream.cancel();
  }

  close(): void {
    this.cancel();
    this.#stream.close();
  }
}
