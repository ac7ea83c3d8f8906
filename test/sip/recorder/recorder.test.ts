import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeWav, encodeWav } from '../../../base/audio/wav.ts';
import { Recorder } from '../../../sip/recorder/recorder.ts';
import { PEER_DELAY_FRAMES, RECORDING_RING_FRAMES, RecordingTrack } from '../../../sip/recorder/recording-ring.ts';
import { measureWav, repairWav } from '../../../sip/recorder/repair-wav.ts';

const TOO_MANY_EXITS = 'the recorder exited too often';
/** The recorder's span in which it counts the exits of its worker, ms. */
const EXIT_SPAN_MS = 60_000;

let folder: string;
let recorder: Recorder | null = null;
let child: ChildProcess | null = null;
const reasons: string[] = [];
/** The recorder's worker, found through the process: the recorder does not expose it. */
let worker: Worker | null = null;
const rememberWorker = (started: Worker) => {
  worker = started;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-recorder-'));
  reasons.length = 0;
  process.on('worker', rememberWorker);
});

afterEach(async () => {
  vi.restoreAllMocks();
  process.off('worker', rememberWorker);
  await recorder?.close();
  recorder = null;
  child?.kill('SIGKILL');
  child = null;
  await rm(folder, { recursive: true, force: true });
});

function openRecorder(lowWaterBytes = 0): Recorder {
  recorder = new Recorder({ lowWaterBytes, onIncomplete: (_path, reason) => reasons.push(reason) });
  return recorder;
}

async function killWorker(): Promise<void> {
  // The process emits `worker` one tick after it was created.
  await new Promise(setImmediate);
  if (worker === null) throw new Error('no worker runs');
  const exited = once(worker, 'exit');
  await worker.terminate();
  await exited;
}

/** Writes `frames` frames from `start` on: a ramp on the left, and its negative on the right. */
function writeRamp(track: RecordingTrack, start: number, frames: number): void {
  const agent = Int16Array.from({ length: frames }, (_, i) => -rampAt(start + i));
  const caller = agent.map((_, i) => rampAt(start + i - PEER_DELAY_FRAMES));
  for (let at = 0; at < frames; at += 160) track.write(caller, at, agent, at, Math.min(160, frames - at));
}

function rampAt(frame: number): number {
  return (frame % 30_000) + 1;
}

async function readFrames(path: string): Promise<Int16Array> {
  const wav = decodeWav(await readFile(path));
  expect(wav).toMatchObject({ format: { encoding: 'linear16', sampleRateHz: 8000 }, channels: 2 });
  const data = wav?.data ?? new Uint8Array(0);
  return new Int16Array(data.slice().buffer);
}

/** The agent's side is complete. The caller's ends before the frames that the jitter buffer still held. */
function expectRamp(frames: Int16Array, count: number): void {
  expect(frames.length).toBe(count * 2);
  for (let i = 0; i < count; i++) {
    const caller = i < count - PEER_DELAY_FRAMES ? rampAt(i) : 0;
    if (frames[i * 2] !== caller || frames[i * 2 + 1] !== -rampAt(i)) expect([i, frames[i * 2]]).toBe(caller);
  }
}

function expectAgentRamp(frames: Int16Array): void {
  for (let i = 0; i < frames.length / 2; i++) {
    if (frames[i * 2 + 1] !== -rampAt(i)) expect([i, frames[i * 2 + 1]]).toBe(-rampAt(i));
  }
}

describe('recorder', () => {
  it('writes both directions of a call on one timeline, caller left, agent right', async () => {
    const path = join(folder, 'a', 'call.wav');
    const recording = openRecorder().start(path);
    const track = new RecordingTrack(recording.memory);
    for (let i = 0; i < 100; i++) writeRamp(track, i * 160, 160);
    const outcome = await recording.finish();
    expect(outcome).toEqual({ path, complete: true, durationMs: 2000 });
    expectRamp(await readFrames(path), 16_000);
    expect(reasons).toEqual([]);
  });

  it('separates calls, and resolves a second finish like the first', async () => {
    const recorder = openRecorder();
    const first = recorder.start(join(folder, '1.wav'));
    const second = recorder.start(join(folder, '2.wav'));
    writeRamp(new RecordingTrack(second.memory), 0, 800);
    expect(await first.finish()).toEqual({ path: join(folder, '1.wav'), complete: true, durationMs: 0 });
    expect(await second.finish()).toEqual(await second.finish());
    expect(await readFrames(join(folder, '1.wav'))).toHaveLength(0);
    expectRamp(await readFrames(join(folder, '2.wav')), 800);
  });

  it('keeps later audio at its position if the disk was too slow for a part', async () => {
    const path = join(folder, 'slow.wav');
    const recording = openRecorder().start(path);
    const track = new RecordingTrack(recording.memory);
    const total = RECORDING_RING_FRAMES + 8000;
    writeRamp(track, 0, total);
    const outcome = await recording.finish();
    expect(outcome).toEqual({ path, complete: false, durationMs: total / 8 });
    const frames = await readFrames(path);
    expect(frames.length).toBe(total * 2);
    expect(frames[0]).toBe(0);
    expect(frames.at(-1)).toBe(-rampAt(total - 1));
  });

  it('stops the recording if the disk is full', async () => {
    const recording = openRecorder().start('/dev/full');
    writeRamp(new RecordingTrack(recording.memory), 0, 800);
    expect(await recording.finish()).toEqual({ path: null, complete: false, durationMs: 0 });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain('ENOSPC');
  });

  it('stops below the low-water mark of free disk space, reports it once, and leaves no empty file', async () => {
    const path = join(folder, 'low.wav');
    const recording = openRecorder(Number.MAX_VALUE).start(path);
    writeRamp(new RecordingTrack(recording.memory), 0, 800);
    expect(await recording.finish()).toEqual({ path: null, complete: false, durationMs: 0 });
    await expect(readFile(path)).rejects.toThrow('ENOENT');
    expect(reasons).toEqual(['the disk is under its low-water mark']);
  });

  it('resolves as incomplete, without a path, if the file cannot be created', async () => {
    await writeFile(join(folder, 'file'), '');
    const recording = openRecorder().start(join(folder, 'file', 'call.wav'));
    expect(await recording.finish()).toEqual({ path: null, complete: false, durationMs: 0 });
    expect(reasons).toHaveLength(1);
  });

  it('loses nothing when its worker exits and the next one continues', async () => {
    const path = join(folder, 'dies.wav');
    const recording = openRecorder().start(path);
    const track = new RecordingTrack(recording.memory);
    writeRamp(track, 0, 4000);
    await killWorker();
    writeRamp(track, 4000, 4000);
    expect(await recording.finish()).toEqual({ path, complete: true, durationMs: 1000 });
    expectRamp(await readFrames(path), 8000);
  });

  it('ends recordings, with valid files, after too many exits of its worker', async () => {
    const path = join(folder, 'often.wav');
    const recorder = openRecorder();
    const recording = recorder.start(path);
    for (let i = 0; i < 6; i++) await killWorker();
    expect(await recording.finish()).toMatchObject({ complete: false });
    expect(await recorder.start(join(folder, 'after.wav')).finish()).toEqual({
      path: null,
      complete: false,
      durationMs: 0,
    });
    expect(reasons).toEqual([TOO_MANY_EXITS, TOO_MANY_EXITS]);
  });

  it('records again once the exits of its worker are a minute ago', async () => {
    const recorder = openRecorder();
    // A whole number, so that the sums below are exact.
    const exitedMs = Math.ceil(performance.now());
    const now = vi.spyOn(performance, 'now').mockReturnValue(exitedMs);
    for (let i = 0; i < 6; i++) await killWorker();
    now.mockReturnValue(exitedMs + EXIT_SPAN_MS - 1);
    expect(await recorder.start(join(folder, 'early.wav')).finish()).toMatchObject({ path: null });
    now.mockReturnValue(exitedMs + EXIT_SPAN_MS);
    const path = join(folder, 'again.wav');
    const recording = recorder.start(path);
    writeRamp(new RecordingTrack(recording.memory), 0, 800);
    expect(await recording.finish()).toEqual({ path, complete: true, durationMs: 100 });
    expect(reasons).toEqual([TOO_MANY_EXITS]);
  });
});

describe('recording of a killed process', () => {
  it('is a valid WAV, and complete up to its last chunk after repair', async () => {
    const path = join(folder, 'killed.wav');
    child = spawn(process.execPath, [new URL('./recording-process.ts', import.meta.url).pathname, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const before = await readFrames(path);
    expect(before.length).toBeGreaterThan(0);
    expectAgentRamp(before);
    expect(await repairWav(path)).toBeGreaterThanOrEqual(before.length / 16);
    const after = await readFrames(path);
    expectAgentRamp(after);
  });

  it('counts all whole frames in its header after repair', async () => {
    const path = join(folder, 'torn.wav');
    const format = { encoding: 'linear16', sampleRateHz: 8000 } as const;
    await writeFile(path, encodeWav({ format, channels: 2, data: new Uint8Array(32) }));
    await appendFile(path, new Uint8Array(35));
    expect(await measureWav(path)).toBe(2);
    expect(await readFile(path), 'not changed').toHaveLength(44 + 32 + 35);
    expect(decodeWav(await readFile(path))?.data).toHaveLength(32);
    expect(await repairWav(path)).toBe(2);
    expect(await readFile(path)).toHaveLength(44 + 64);
    expect(decodeWav(await readFile(path))?.data).toHaveLength(64);
    expect(await repairWav(path)).toBe(2);
  });

  it('is not repaired if the file is not a recording of ours', async () => {
    const path = join(folder, 'other.wav');
    const format = { encoding: 'mulaw', sampleRateHz: 8000 } as const;
    const other = encodeWav({ format, channels: 1, data: new Uint8Array(32) });
    await writeFile(path, other);
    expect(await repairWav(path)).toBeNull();
    expect(new Uint8Array(await readFile(path))).toEqual(other);
    expect(await repairWav(join(folder, 'none.wav'))).toBeNull();
    await writeFile(path, 'RIFF');
    expect(await repairWav(path)).toBeNull();
  });

  it('counts neither as missing nor as empty if the file cannot be opened', async () => {
    const path = join(folder, 'loop.wav');
    await symlink(path, path);
    await expect(repairWav(path)).rejects.toThrow('ELOOP');
    await expect(measureWav(path)).rejects.toThrow('ELOOP');
  });
});
