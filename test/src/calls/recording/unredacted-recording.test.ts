import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeWav, PCM_WAV_HEADER_BYTES } from '../../../../base/audio/wav.ts';
import { WavFileWriter } from '../../../../sip/recorder/wav-file-writer.ts';
import {
  finishRedacted,
  removeRecording,
  repairRecording,
  storeRedactions,
  unredactedPathOf,
} from '../../../../src/calls/recording/unredacted-recording.ts';
import { measureTone } from '../../../rtp-peer/tone.ts';

const RATE_HZ = 8_000;
const SECONDS = 10;
/** Value of every sample of the original recording. */
const SAMPLE = 5_000;
const TONE_HZ = 1_000;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-unredacted-'));
  path = join(folder, 'call.wav');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function record(): Promise<void> {
  const data = new Uint8Array(new Int16Array(SECONDS * RATE_HZ * 2).fill(SAMPLE).buffer);
  const wav = encodeWav({ format: { encoding: 'linear16', sampleRateHz: RATE_HZ }, channels: 2, data });
  await writeFile(unredactedPathOf(path), wav);
}

/** For each second of the finished recording: the original on both channels, a tone on both, or a mixture. */
async function seconds(): Promise<readonly string[]> {
  const bytes = await readFile(path);
  const view = new DataView(bytes.buffer, bytes.byteOffset + PCM_WAV_HEADER_BYTES);
  const kind = (second: number, offset: number) => {
    const at = (frame: number) => view.getInt16(4 * (second * RATE_HZ + frame) + offset, true);
    const samples = Int16Array.from({ length: RATE_HZ }, (_, frame) => at(frame));
    if (samples.every((sample) => sample === SAMPLE)) return 'original';
    return measureTone(samples, TONE_HZ).share > 0.99 ? 'tone' : 'mixture';
  };
  return Array.from({ length: SECONDS }, (_, second) => {
    const left = kind(second, 0);
    return left === kind(second, 2) ? left : 'mixture';
  });
}

const filled = (tones: readonly number[]) =>
  Array.from({ length: SECONDS }, (_, second) => (tones.includes(second) ? 'tone' : 'original'));

describe('a recording that is to be redacted', () => {
  it('gets its name once a tone fills each stretch, on both channels, to the sample', async () => {
    await record();
    await finishRedacted(path, [
      { fromMs: 2_000, toMs: 4_000 },
      { fromMs: -500, toMs: 1_000 },
      { fromMs: 9_000, toMs: 60_000 },
    ]);
    expect(await readdir(folder)).toEqual(['call.wav']);
    expect(await seconds()).toEqual(filled([0, 2, 3, 9]));
  });

  it('that was cut off is redacted by what is known of it, and is a tone after that', async () => {
    await record();
    await storeRedactions(path, { stretches: [], judgedMs: 1_000 });
    await storeRedactions(path, { stretches: [{ fromMs: 3_000, toMs: 4_000 }], judgedMs: 7_000 });
    expect(await repairRecording(path)).toBe(SECONDS * 1_000);
    expect(await seconds()).toEqual(filled([3, 7, 8, 9]));
    expect(await readdir(folder)).toEqual(['call.wav']);
    expect(await repairRecording(path)).toBe(SECONDS * 1_000);
    expect(await seconds()).toEqual(filled([3, 7, 8, 9]));
  });

  it('that was cut off is redacted by the last whole line about it', async () => {
    await record();
    await storeRedactions(path, { stretches: [], judgedMs: 6_000 });
    await writeFile(join(folder, 'call.redactions.jsonl'), '{"stretches":[],"judg', { flag: 'a' });
    await repairRecording(path);
    expect(await seconds()).toEqual(filled([6, 7, 8, 9]));
  });

  it('of which nothing is known is a tone as a whole', async () => {
    await record();
    await repairRecording(path);
    expect(new Set(await seconds())).toEqual(new Set(['tone']));
  });

  it('stays as it is while what is known of it cannot be read', async () => {
    await record();
    const known = join(folder, 'call.redactions.jsonl');
    await symlink(known, known);
    await expect(repairRecording(path)).rejects.toThrow('ELOOP');
    await rm(known);
    await storeRedactions(path, { stretches: [{ fromMs: 3_000, toMs: 4_000 }], judgedMs: SECONDS * 1_000 });
    await repairRecording(path);
    expect(await seconds()).toEqual(filled([3]));
  });

  it('has nothing of what a stalled node writes after another node has finished it', async () => {
    await record();
    const stalled = WavFileWriter.resume(unredactedPathOf(path), SECONDS * RATE_HZ);
    expect(await repairRecording(path)).toBe(SECONDS * 1_000);
    stalled.write(0, new Int16Array(SECONDS * RATE_HZ * 2).fill(SAMPLE), SECONDS * RATE_HZ);
    stalled.close();
    expect(new Set(await seconds())).toEqual(new Set(['tone']));
  });

  it('stays as another node has finished it', async () => {
    await record();
    await repairRecording(path);
    expect(await finishRedacted(path, [])).toBe(false);
    expect(new Set(await seconds())).toEqual(new Set(['tone']));
    expect(await readdir(folder)).toEqual(['call.wav']);
  });

  it('is whole if two nodes finish it at once', async () => {
    await record();
    await storeRedactions(path, { stretches: [{ fromMs: 3_000, toMs: 4_000 }], judgedMs: SECONDS * 1_000 });
    await Promise.all([finishRedacted(path, [{ fromMs: 3_000, toMs: 4_000 }]), repairRecording(path)]);
    expect(await seconds()).toEqual(filled([3]));
    expect(await readdir(folder)).toEqual(['call.wav']);
  });

  it('that was killed during its redaction is redacted, and no part of a copy stays', async () => {
    await record();
    await mkdir(join(folder, 'call.redacting'));
    await writeFile(join(folder, 'call.redacting', 'part.wav'), 'RIFF');
    await repairRecording(path);
    expect(await readdir(folder)).toEqual(['call.wav']);
  });

  it('is removed with all that belongs to it', async () => {
    await record();
    await storeRedactions(path, { stretches: [], judgedMs: 0 });
    await removeRecording(path);
    expect(await readdir(folder)).toEqual([]);
    expect(await repairRecording(path)).toBeNull();
  });
});
