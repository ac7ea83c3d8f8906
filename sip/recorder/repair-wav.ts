import { type FileHandle, open } from 'node:fs/promises';
import { encodeWavHeader, PCM_WAV_HEADER_BYTES, WAV_DATA_BYTES_MAX } from '../../base/audio/wav.ts';
import { RECORDING_CHANNELS, RECORDING_FRAME_BYTES, RECORDING_RATE_HZ } from './recording-ring.ts';

/**
 * Corrects the header of a recording whose process was killed. The header is always valid, but may not count the last
 * chunk. Run it at startup, before the file is read. Returns the duration in ms; null if there is no file, or if it is not a
 * recording of ours. Rejects with the errors of `fs` if the file cannot be read: it may be a recording. Idempotent.
 */
export function repairWav(path: string): Promise<number | null> {
  return withFrames(path, 'r+', async (file, frames) => {
    const wholeBytes = frames * RECORDING_FRAME_BYTES;
    await file.truncate(PCM_WAV_HEADER_BYTES + wholeBytes);
    await file.write(headerOf(wholeBytes), 0, PCM_WAV_HEADER_BYTES, 0);
  });
}

/** The duration that `repairWav` returns, ms, without a change of the file. */
export function measureWav(path: string): Promise<number | null> {
  return withFrames(path, 'r', async () => {});
}

async function withFrames(
  path: string,
  flags: 'r' | 'r+',
  use: (file: FileHandle, frames: number) => Promise<void>,
): Promise<number | null> {
  let file: FileHandle;
  try {
    file = await open(path, flags);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const header = new Uint8Array(PCM_WAV_HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, header.length, 0);
    if (bytesRead < header.length || !isRecording(header)) return null;
    const dataBytes = Math.min(size - PCM_WAV_HEADER_BYTES, WAV_DATA_BYTES_MAX);
    const frames = Math.floor(dataBytes / RECORDING_FRAME_BYTES);
    await use(file, frames);
    return (frames * 1000) / RECORDING_RATE_HZ;
  } finally {
    await file.close();
  }
}

function headerOf(dataBytes: number): Uint8Array {
  return encodeWavHeader({ encoding: 'linear16', sampleRateHz: RECORDING_RATE_HZ }, RECORDING_CHANNELS, dataBytes);
}

/** Our recordings are recognised by all header bytes except the two sizes. */
function isRecording(header: Uint8Array): boolean {
  const ours = headerOf(0);
  return header.every((byte, at) => byte === ours[at] || (at >= 4 && at < 8) || at >= 40);
}
