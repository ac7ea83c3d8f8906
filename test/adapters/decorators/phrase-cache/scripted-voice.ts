import type { Voice, VoiceEvent, VoiceOptions } from '../../../../engine/ports/voice.ts';

/** One stream of a voice. The test emits all its events. */
export interface ScriptedStream {
  readonly options: VoiceOptions;
  readonly requests: { readonly segment: number; readonly text: string }[];
  readonly emit: (event: VoiceEvent) => void;
  cancels: number;
  closed: boolean;
}

export function scriptedVoice(): { readonly voice: Voice; readonly streams: ScriptedStream[] } {
  const streams: ScriptedStream[] = [];
  const voice: Voice = {
    open: (options, emit) => {
      const stream: ScriptedStream = { options, requests: [], emit, cancels: 0, closed: false };
      streams.push(stream);
      return {
        speak: (segment, text) => stream.requests.push({ segment, text }),
        cancel: () => {
          stream.cancels++;
        },
        close: () => {
          stream.closed = true;
        },
      };
    },
  };
  return { voice, streams };
}

/** Emits all events of the n-th requested segment. Its audio has one byte of this value for each character. */
export function speakWhole({ options, requests, emit }: ScriptedStream, nth: number, value: number): void {
  const { segment, text } = requests[nth] ?? { segment: -1, text: '' };
  emit({ type: 'audio', segment, format: options.format, audio: new Uint8Array(text.length).fill(value) });
  emit({ type: 'words', segment, words: [{ text, startMs: 0, endMs: 10 }] });
  emit({ type: 'done', segment });
}
