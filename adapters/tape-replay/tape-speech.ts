import { type AudioFormat, bytesPerSample } from '../../base/audio/audio-format.ts';
import { ALAW_SILENCE, MULAW_SILENCE } from '../../base/audio/g711.ts';
import type { RecordedSpeech } from '../../engine/tape/re-simulation/recorded-responses.ts';

const SILENT_BYTE = { mulaw: MULAW_SILENCE, alaw: ALAW_SILENCE, linear16: 0 } as const;

/** The audio of a voice on a tape. */
export interface TapeSpeech {
  readonly format: AudioFormat;
  /**
   * The samples of a segment, in its recorded length; silence if the tape has no audio of it. The bytes are
   * read-only.
   */
  samples(answer: RecordedSpeech): Uint8Array;
}

/** For the simulated playout, which counts samples and plays none. */
export function silentSpeech(format: AudioFormat): TapeSpeech {
  return { format, samples: ({ durationMs }) => silence(format, durationMs) };
}

/** Segments of `voice.wav`. `audio`: its samples, without the header. */
export function recordedSpeech(format: AudioFormat, audio: Uint8Array): TapeSpeech {
  return {
    format,
    samples({ offsetMs, durationMs }) {
      if (offsetMs === null) return silence(format, durationMs);
      return audio.subarray(bytesAt(format, offsetMs), bytesAt(format, offsetMs + durationMs));
    },
  };
}

function silence(format: AudioFormat, ms: number): Uint8Array {
  return new Uint8Array(bytesAt(format, ms)).fill(SILENT_BYTE[format.encoding]);
}

function bytesAt(format: AudioFormat, ms: number): number {
  return Math.round((ms * format.sampleRateHz) / 1000) * bytesPerSample(format);
}
