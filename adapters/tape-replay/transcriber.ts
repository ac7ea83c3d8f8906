import { bytesPerSample } from '../../base/audio/audio-format.ts';
import type {
  Transcriber,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberStream,
  TranscriberTraits,
} from '../../engine/ports/transcriber.ts';
import type { RecordedTranscription } from '../../engine/tape/re-simulation/recorded-responses.ts';
import type { ReplayTimer } from './replay-timer.ts';

/**
 * Replays the provider's messages from the tape. Each message follows the same amount of written audio as when it was
 * recorded, at any speed of the replay. The n-th stream of a call replays the n-th stream of the tape. A stream beyond
 * the last one of the tape continues where the previous stream stopped.
 */
export function createTapeTranscriber(
  transcriptions: readonly RecordedTranscription[],
  traits: TranscriberTraits,
  after: ReplayTimer,
): Transcriber {
  let opened = 0;
  let current: readonly RecordedTranscription[] = [];
  let next = 0;
  let writtenMs = 0;
  return { traitsOf: () => traits, open: (options, emit) => open(options, emit) };

  function open(options: TranscriberOptions, emit: (event: TranscriberEvent) => void): TranscriberStream {
    const bytesPerMs = (bytesPerSample(options.format) * options.format.sampleRateHz) / 1000;
    const recorded = transcriptions.filter(({ stream = 0 }) => stream === opened);
    opened++;
    if (recorded.length > 0) [current, next, writtenMs] = [recorded, 0, 0];
    let isOpen = true;
    const reportDue = () => {
      for (let due = current[next]; due !== undefined && due.audioMs <= writtenMs; due = current[next]) {
        next++;
        const { event } = due;
        after(0, () => {
          if (!isOpen) return;
          if (event.type === 'failed') isOpen = false;
          emit(event);
        });
      }
    };
    reportDue();
    return {
      write: (audio) => {
        if (!isOpen) return;
        writtenMs += audio.length / bytesPerMs;
        reportDue();
      },
      // The tape holds the final of a `finalize`, at its position in the audio.
      finalize: () => undefined,
      close: () => {
        isOpen = false;
      },
    };
  }
}
