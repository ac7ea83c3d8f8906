import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeWav } from '../../../base/audio/wav.ts';
import { recordingPathOf } from '../../../src/calls/recording/recording-path.ts';
import type { JournalBatch } from '../../../src/storage/calls/journal-repository.ts';
import type { TestService } from '../../service/rig/test-service.ts';
import { newCall } from '../../src/storage/temporary-database.ts';

const ANSWERED_MS = Date.UTC(2026, 2, 2, 9, 0, 0);
const RATE_HZ = 8_000;
const CHANNELS = 2;
const LEVEL = 8_000;
const WAVE_SAMPLES = 40;

interface StoredCall {
  readonly agentId: string;
  /** Written to the journal one after the other. */
  readonly batches: readonly JournalBatch['entries'][];
  readonly lengthS: number;
  /** Length of the recording. */
  readonly recordedS: number;
}

/** Stores a call that has ended, with a recording. Times of its entries are µs since the answer. @returns its id */
export async function storeCall(
  { dataDir, service }: Pick<TestService, 'dataDir' | 'service'>,
  { agentId, batches, lengthS, recordedS }: StoredCall,
): Promise<string> {
  const { calls, journal } = service.repositories;
  const call = newCall(agentId, { nowMs: ANSWERED_MS });
  const recordingPath = recordingPathOf(call.id);
  await writeRecording(join(dataDir, recordingPath), recordedS);
  await calls.createCall(call);
  const patch = { startMs: ANSWERED_MS, recordingPath };
  await calls.setStatus(call.id, { to: 'in_progress', from: ['initiated'], atMs: ANSWERED_MS, patch });
  for (const entries of batches) await journal.appendJournal(call.id, { entries, startedWallMs: ANSWERED_MS });
  const atMs = ANSWERED_MS + lengthS * 1_000;
  await calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs });
  return call.id;
}

/** A square wave on both channels. */
async function writeRecording(path: string, lengthS: number): Promise<void> {
  const second = Int16Array.from({ length: RATE_HZ * CHANNELS }, (_, sample) =>
    sample % (2 * WAVE_SAMPLES) < WAVE_SAMPLES ? LEVEL : -LEVEL,
  );
  const samples = new Int16Array(lengthS * second.length);
  for (let at = 0; at < samples.length; at += second.length) samples.set(second, at);
  const format = { encoding: 'linear16', sampleRateHz: RATE_HZ } as const;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, encodeWav({ format, channels: CHANNELS, data: new Uint8Array(samples.buffer) }));
}
