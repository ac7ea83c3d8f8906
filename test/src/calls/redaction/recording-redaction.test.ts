import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { encodeWav } from '../../../../base/audio/wav.ts';
import { repairRecording, unredactedPathOf } from '../../../../src/calls/recording/unredacted-recording.ts';
import { RecordingRedaction } from '../../../../src/calls/redaction/recording-redaction.ts';
import { ScriptedSession } from '../host/scripted-host.ts';

const SECONDS = 2;

async function recorded() {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-redaction-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'call.wav');
  const data = new Uint8Array(SECONDS * 8_000 * 4).fill(1);
  const format = { encoding: 'linear16', sampleRateHz: 8_000 } as const;
  await writeFile(unredactedPathOf(path), encodeWav({ format, channels: 2, data }));
  const faults: unknown[] = [];
  const redaction = new RecordingRedaction({
    path,
    session: new ScriptedSession(null).session,
    spoken: { all: [], judgedMs: 0 },
    onFault: (error) => faults.push(error),
  });
  const outcome = { path: unredactedPathOf(path), complete: true, durationMs: SECONDS * 1_000 };
  return { faults, folder, outcome, path, redaction };
}

it('the recording of a node that was taken for lost stays as another node has redacted it', async () => {
  const { faults, folder, outcome, path, redaction } = await recorded();
  await repairRecording(path);
  const finished = await readFile(path);
  // It says what it knows of the call once more.
  redaction.follow(0);
  expect(await redaction.finish(outcome)).toEqual({ ...outcome, path, complete: false });
  expect(await readFile(path)).toEqual(finished);
  expect(await readdir(folder)).toEqual(['call.wav']);
  expect(faults).toEqual([]);
});

it('the recording that another node has redacted stays if the recorder of the stalled one has failed', async () => {
  const { folder, path, redaction } = await recorded();
  await repairRecording(path);
  const failed = { path: null, complete: false, durationMs: 0 };
  expect(await redaction.finish(failed)).toEqual(failed);
  expect(await readdir(folder)).toEqual(['call.wav']);
});

it('a recording that cannot be redacted is removed', async () => {
  const { faults, folder, outcome, redaction } = await recorded();
  // In the place of the folder of the copy.
  await writeFile(join(folder, 'call.redacting'), '');
  expect(await redaction.finish(outcome)).toEqual({ path: null, complete: false, durationMs: 0 });
  expect(faults).toHaveLength(1);
  expect(await readdir(folder)).toEqual([]);
});
