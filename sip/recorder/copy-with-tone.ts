import { type FileHandle, open } from 'node:fs/promises';
import { PCM_WAV_HEADER_BYTES } from '../../base/audio/wav.ts';
import { RECORDING_FRAME_BYTES, RECORDING_RATE_HZ } from './recording-ring.ts';

/** As broadcasters censor: 1 kHz, about 20 dB below full scale. */
const TONE_HZ = 1_000;
const TONE_PEAK = 3_276;
/** The tone repeats after 8 samples, so every piece of whole seconds is the same. */
const PIECE_FRAMES = RECORDING_RATE_HZ;

/** A stretch of a recording, in ms since its start. */
export interface RecordedStretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Replaces stretches of a recording of ours by a tone, on both channels, in the file itself: no copy of the old audio stays. Stretches
 * beyond the end are cut to it. Idempotent. Rejects with the errors of `fs`; then a part may be replaced.
 */
export async function overwriteWithTone(path: string, stretches: readonly RecordedStretch[]): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const frames = Math.floor((size - PCM_WAV_HEADER_BYTES) / RECORDING_FRAME_BYTES);
    for (const { fromMs, toMs } of stretches) {
      const from = Math.max(0, frameAt(fromMs));
      await overwrite(file, from, Math.min(frames, frameAt(toMs)));
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function overwrite(file: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += PIECE_FRAMES) {
    const piece = TONE.subarray(0, Math.min(PIECE_FRAMES, to - at) * RECORDING_FRAME_BYTES);
    await file.write(piece, 0, piece.length, PCM_WAV_HEADER_BYTES + at * RECORDING_FRAME_BYTES);
  }
}

function frameAt(ms: number): number {
  return Math.round((ms * RECORDING_RATE_HZ) / 1000);
}

const TONE = tone();

/** Stereo, 16 bit, little-endian. */
function tone(): Uint8Array {
  const bytes = new Uint8Array(PIECE_FRAMES * RECORDING_FRAME_BYTES);
  const view = new DataView(bytes.buffer);
  for (let frame = 0; frame < PIECE_FRAMES; frame++) {
    const sample = Math.round(TONE_PEAK * Math.sin((2 * Math.PI * TONE_HZ * frame) / RECORDING_RATE_HZ));
    view.setInt16(frame * RECORDING_FRAME_BYTES, sample, true);
    view.setInt16(frame * RECORDING_FRAME_BYTES + 2, sample, true);
  }
  return bytes;
}
