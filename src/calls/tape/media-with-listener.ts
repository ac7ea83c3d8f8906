import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Media } from '../../../engine/ports/media.ts';

export interface UserAudioListener {
  heard(audio: Uint8Array): void;
}

/** Media whose listener gets the audio of the user before the engine does, byte for byte as received: a tape, for example. */
export function withUserAudioListener(media: Media, listener: UserAudioListener): Media {
  let engineListener: ((format: AudioFormat, audio: Uint8Array) => void) | null = null;
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
      const isFirst = engineListener === null;
      engineListener = engine;
      // The engine may set another listener; ours gets each frame once.
      if (!isFirst) return;
      media.onAudio((format, audio) => {
        listener.heard(audio);
        engineListener?.(format, audio);
      });
    },
    onDrained: (drained) => media.onDrained(drained),
    onEvent: (onEvent) => media.onEvent(onEvent),
    close: () => media.close(),
  };
}
