import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';

/** Called with the time from a segment's text to its first audio, in ms, if no earlier segment was pending. */
export type FirstAudio = (options: VoiceOptions, ms: number) => void;

/** Times the provider's voice. On the provider's side of the phrase cache. */
export function withVoiceTiming(voice: Voice, report: FirstAudio): Voice {
  return { open: (options, emit) => new TimedVoiceStream(voice, options, emit, report) };
}

class TimedVoiceStream implements VoiceStream {
  readonly #stream: VoiceStream;
  #pending = 0;
  /** When the only pending segment was requested. */
  #requestedMs: number | null = null;

  constructor(voice: Voice, options: VoiceOptions, emit: (event: VoiceEvent) => void, report: FirstAudio) {
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
