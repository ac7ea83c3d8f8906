import { rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { RecorderCommand, RecorderReport, RecorderWorkerOptions } from './recorder-messages.ts';
import { RECORDING_RATE_HZ, RECORDING_RING_FRAMES, RecordingReader } from './recording-ring.ts';
import { WavFileWriter } from './wav-file-writer.ts';

/** The rings are read at this interval: an eighth of their length, and the audio that a killed process may lose. */
const DRAIN_INTERVAL_MS = 500;

interface ActiveRecording {
  readonly id: number;
  readonly path: string;
  readonly reader: RecordingReader;
  /** Null after the recording has stopped: its file is closed and valid. */
  file: WavFileWriter | null;
  exists: boolean;
  durationMs: number;
}

const options: RecorderWorkerOptions = workerData;
const recordings = new Map<number, ActiveRecording>();
/** Folder → whether its disk is below the low-water mark; checked once per round. */
const disks = new Map<string, boolean>();
const chunk = new Int16Array(RECORDING_RING_FRAMES * 2);

parentPort?.on('message', (command: RecorderCommand) => {
  switch (command.type) {
    case 'start':
      return start(command.id, command.path, new RecordingReader(command.memory), command.resume);
    case 'finish':
      return finish(command.id);
  }
});

setInterval(() => {
  disks.clear();
  for (const recording of recordings.values()) drain(recording, false);
}, DRAIN_INTERVAL_MS);

function start(id: number, path: string, reader: RecordingReader, resume: boolean): void {
  const written = resume ? reader.framesRead : 0;
  const durationMs = (written * 1000) / RECORDING_RATE_HZ;
  const recording: ActiveRecording = { id, path, reader, file: null, exists: written > 0, durationMs };
  recordings.set(id, recording);
  // A stopped recording is not resumed.
  if (resume && reader.stopped) return;
  try {
    recording.file = written > 0 ? WavFileWriter.resume(path, written) : WavFileWriter.create(path);
    recording.exists = true;
  } catch (error) {
    stop(recording, error);
  }
}

/** Moves the frames of the ring to the file. A disk that fails or is full stops only this recording. */
function drain(recording: ActiveRecording, ended: boolean): void {
  const { reader, file } = recording;
  if (file === null) return;
  const wasIncomplete = reader.incomplete;
  try {
    if (isLow(dirname(recording.path))) throw new Error('the disk is under its low-water mark');
    const count = reader.read(chunk, ended);
    if (count > 0) {
      file.write(reader.position, chunk, count);
      reader.release(count);
    }
    recording.durationMs = file.durationMs;
  } catch (error) {
    stop(recording, error);
    return;
  }
  if (!wasIncomplete && reader.incomplete) notify(recording, 'the disk was too slow');
}

function stop(recording: ActiveRecording, error: unknown): void {
  const known = recording.reader.incomplete;
  recording.reader.markStopped();
  try {
    recording.file?.close();
  } catch {
    // The first failure of the disk is reported, not this one.
  }
  recording.file = null;
  if (!known) notify(recording, error instanceof Error ? error.message : String(error));
}

function finish(id: number): void {
  const recording = recordings.get(id);
  if (recording === undefined) return;
  recordings.delete(id);
  drain(recording, true);
  if (recording.file !== null) {
    try {
      recording.file.close();
    } catch (error) {
      stop(recording, error);
    }
  }
  const { reader, durationMs } = recording;
  // A recording that stopped before its first frame holds nothing to hear.
  const isEmpty = durationMs === 0 && reader.incomplete;
  if (recording.exists && isEmpty) rmSync(recording.path, { force: true });
  const exists = recording.exists && !isEmpty;
  post({ type: 'finished', id, exists, complete: !reader.incomplete, durationMs });
}

function notify(recording: ActiveRecording, reason: string): void {
  post({ type: 'incomplete', id: recording.id, reason });
}

function post(report: RecorderReport): void {
  parentPort?.postMessage(report);
}

function isLow(folder: string): boolean {
  const known = disks.get(folder);
  if (known !== undefined) return known;
  const { bavail, bsize } = statfsSync(folder);
  const low = bavail * bsize < options.lowWaterBytes;
  disks.set(folder, low);
  return low;
}
