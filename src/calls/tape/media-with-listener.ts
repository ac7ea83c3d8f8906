import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Media } from '../../../engine/ports/media.ts';

/** Gets the audio of the user. */
export interface HeardAudio {
  heard(audio: Uint8Array): void;
}

/** Decorates media: the tape gets the audio of the user first, byte for byte as received. */
export function tapedMedia(media: Media, tape: HeardAudio): Media {
  let listener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
  return {
    format: media.format,
    play: (utterance, segment, format, audio, isDuckable) => media.play(utterance, segment, format, audio, isDuckable),
    endSegment: (utterance, segment) => media.endSegment(utterance, segment),
    clear: (utterance) => media.clear(utterance),
    pause: () => media.pause(),
    resume: () => media.resume(),
    sendDtmf: (digits) => media.sendDtmf(digits),
    listenForTones: (on) => media.listenForTones(on),
    onAudio(engine) {
      const isFirst = listener === null;
      listener = engine;
      // The engine may set another listener; the tape gets each frame once.
      if (!isFirst) return;
      media.onAudio((format, audio) => {
        tape.heard(audio);
        listener?.(format, audio);
      });
    },
    onDrained: (drained) => media.onDrained(drained),
    onEvent: (listener) => media.onEvent(listener),
    close: () => media.close(),
  };
}
