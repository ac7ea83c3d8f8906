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
 * recorded, so that its times hold in real time and a thousand times faster. The n-th stream of a call replays the
 * n-th one of the tape. A stream beyond those continues where the previous one stopped.
 */
export function createTapeTranscriber(
  answers: readonly RecordedTranscription[],
  traits: TranscriberTraits,
  after: ReplayTimer,
): Transcriber {
  let opened = 0;
  let own: readonly RecordedTranscription[] = [];
  let next = 0;
  let writtenMs = 0;
  return { traitsOf: () => traits, open: (options, emit) => open(options, emit) };

  function open(options: TranscriberOptions, emit: (event: TranscriberEvent) => void): TranscriberStream {
    const bytesPerMs = (bytesPerSample(options.format) * options.format.sampleRateHz) / 1000;
    const recorded = answers.filter(({ stream = 0 }) => stream === opened);
    opened++;
    if (recorded.length > 0) [own, next, writtenMs] = [recorded, 0, 0];
    let isOpen = true;
    const reportDue = () => {
      for (let answer = own[next]; answer !== undefined && answer.audioMs <= writtenMs; answer = own[next]) {
        next++;
        const { event } = answer;
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
