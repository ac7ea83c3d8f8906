import { type FileHandle, open, rm } from 'node:fs/promises';
import { PCM_WAV_HEADER_BYTES } from '../../base/audio/wav.ts';
import { RECORDING_FRAME_BYTES, RECORDING_RATE_HZ } from './recording-ring.ts';

/** As broadcasters censor: 1 kHz, about 20 dB below full scale. */
const TONE_HZ = 1_000;
const TONE_PEAK = 3_276;
/**
 * Length of one read and write: 8 s, 256 KiB. The tone repeats after 8 samples, so it has the same phase at the start
 * of each block.
 */
const BLOCK_FRAMES = 8 * RECORDING_RATE_HZ;

/** A stretch of a recording, in ms since its start. */
export interface RecordedStretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Copies a recording of ours to `copyPath`, which must not exist, with a tone on both channels in the place of stretches: their audio is
 * not written, and a late writer of the original does not reach the copy. Stretches beyond the end are cut to it. Resolves once the copy
 * is on the disk. Rejects with the errors of `fs`; then there is no copy.
 */
export async function copyWithTone(
  path: string,
  copyPath: string,
  stretches: readonly RecordedStretch[],
): Promise<void> {
  const from = await open(path);
  try {
    const to = await open(copyPath, 'wx', 0o600);
    try {
      await copyBlocks(from, to, stretches);
      await to.datasync();
    } catch (error) {
      await rm(copyPath, { force: true });
      throw error;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copyBlocks(from: FileHandle, to: FileHandle, stretches: readonly RecordedStretch[]): Promise<void> {
  const header = new Uint8Array(PCM_WAV_HEADER_BYTES);
  await from.read(header, 0, header.length, 0);
  await to.writeFile(header);
  const block = new Uint8Array(BLOCK_FRAMES * RECORDING_FRAME_BYTES);
  for (let first = 0, frames = 0; ; first += frames) {
    const position = PCM_WAV_HEADER_BYTES + first * RECORDING_FRAME_BYTES;
    const { bytesRead } = await from.read(block, 0, block.length, position);
    frames = Math.floor(bytesRead / RECORDING_FRAME_BYTES);
    if (frames === 0) return;
    for (const { fromMs, toMs } of stretches) {
      const start = Math.max(0, frameAt(fromMs) - first) * RECORDING_FRAME_BYTES;
      const end = Math.min(frames, frameAt(toMs) - first) * RECORDING_FRAME_BYTES;
      if (start < end) block.set(TONE.subarray(start, end), start);
    }
    await to.writeFile(block.subarray(0, frames * RECORDING_FRAME_BYTES));
  }
}

function frameAt(ms: number): number {
  return Math.round((ms * RECORDING_RATE_HZ) / 1000);
}

const TONE = tone();

/** One block: stereo, 16 bit, little-endian. */
function tone(): Uint8Array {
  const bytes = new Uint8Array(BLOCK_FRAMES * RECORDING_FRAME_BYTES);
  const view = new DataView(bytes.buffer);
  for (let frame = 0; frame < BLOCK_FRAMES; frame++) {
    const sample = Math.round(TONE_PEAK * Math.sin((2 * Math.PI * TONE_HZ * frame) / RECORDING_RATE_HZ));
    view.setInt16(frame * RECORDING_FRAME_BYTES, sample, true);
    view.setInt16(frame * RECORDING_FRAME_BYTES + 2, sample, true);
  }
  return bytes;
}
