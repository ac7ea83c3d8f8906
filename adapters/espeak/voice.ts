import type { Voice } from '../../engine/ports/voice.ts';
import { providerFailure } from '../provider-failure/provider-failure.ts';
import { SegmentQueue, VOICE_DEADLINES, type VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import type { SegmentRun, SegmentSink, SegmentSource } from '../segmented-voice/segment-source.ts';
import { createSpeechText } from '../text-normalisation/speech-text.ts';
import { espeakArguments } from './espeak-arguments.ts';
import { EspeakProcess } from './espeak-process.ts';

export interface EspeakAccess {
  /** Name or path of the program. */
  readonly path: string;
}

/** The current segment and the next one. */
const PROCESSES_MAX = 2;

/**
 * The system's espeak-ng as a voice: no key, no network, no word times. One process per segment, at most two per
 * call.
 */
export function createEspeakVoice(access: EspeakAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): Voice {
  return {
    open: (options, emit) =>
      new SegmentQueue({
        provider: 'espeak',
        source: new EspeakSource(access.path, espeakArguments(options)),
        deadlines,
        prepare: createSpeechText({
          language: options.language,
          voiceNormalisesText: false,
          pronunciations: options.pronunciations ?? [],
        }),
        emit,
      }),
  };
}

class EspeakSource implements SegmentSource {
  readonly segmentsMax = PROCESSES_MAX;
  readonly #path: string;
  readonly #arguments: readonly string[] | undefined;

  constructor(path: string, args: readonly string[] | undefined) {
    this.#path = path;
    this.#arguments = args;
  }

  begin(text: string, sink: SegmentSink): SegmentRun {
    if (this.#arguments === undefined) return refusal(sink);
    return new EspeakProcess(this.#path, this.#arguments, text, sink);
  }

  /** Each segment has its own process, which ends with it. */
  abandon(): void {}

  close(): void {}
}

function refusal(sink: SegmentSink): SegmentRun {
  const soon = setImmediate(() =>
    sink.failed(providerFailure('espeak', 'bad_request', 'invalid name of an espeak-ng voice')),
  );
  return { drop: () => clearImmediate(soon) };
}
