import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { Voice } from '../../../engine/ports/voice.ts';

/** Records a call's agent voice. */
export interface VoiceTape {
  spoken(segment: number, format: AudioFormat, audio: Uint8Array): void;
}

/** A voice whose audio goes to the tape before it goes to the call. */
export function withVoiceTape(voice: Voice, tape: VoiceTape): Voice {
  return {
    open: (options, emit) =>
      voice.open(options, (event) => {
        if (event.type === 'audio') tape.spoken(event.segment, event.format, event.audio);
        emit(event);
      }),
  };
}
