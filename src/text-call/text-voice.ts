import { bytesPerSample } from '../../base/audio/audio-format.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { Voice } from '../../engine/ports/voice.ts';
import { SEGMENT_MS } from './text-media.ts';

/** A voice without delay. Its audio is silence, just long enough for the start and end of the segment. */
export function createTextVoice(clock: Clock): Voice {
  return {
    open({ format }, emit) {
      const audio = new Uint8Array((format.sampleRateHz / 1000) * SEGMENT_MS * bytesPerSample(format));
      let last = 0;
      let cancelledThrough = 0;
      return {
        speak(segment) {
          last = segment;
          clock.after(0, () => {
            if (segment <= cancelledThrough) return;
            emit({ type: 'audio', segment, format, audio });
            emit({ type: 'done', segment });
          });
        },
        cancel() {
          cancelledThrough = last;
        },
        close() {
          cancelledThrough = Number.POSITIVE_INFINITY;
        },
      };
    },
  };
}
