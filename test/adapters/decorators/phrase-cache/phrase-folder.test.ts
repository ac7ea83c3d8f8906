import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Phrase } from '../../../../adapters/decorators/phrase-cache/phrase.ts';
import { encodePhrase } from '../../../../adapters/decorators/phrase-cache/phrase-file.ts';
import { openPhraseFolder } from '../../../../adapters/decorators/phrase-cache/phrase-folder.ts';

const key = (digit: number) => String(digit).repeat(64);
const phrase = (value: number, bytes = 1_000): Phrase => ({
  format: { encoding: 'mulaw', sampleRateHz: 8_000 },
  audio: new Uint8Array(bytes).fill(value),
  words: [{ text: 'Hello', startMs: 0, endMs: 100 }],
});
const FILE_BYTES = encodePhrase(phrase(1)).length;

describe('phrase folder', () => {
  let directory: string;
  let errors: unknown[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'trunkline-phrases-'));
    errors = [];
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    await rm(directory, { recursive: true, force: true });
  });
  const open = (bytesMax = 1_000_000, isShared = false) =>
    openPhraseFolder({ directory, bytesMax, isShared, onFault: (error) => errors.push(error) });

  it('returns stored phrases without a changed byte, at once and after a restart', async () => {
    const first = await open();
    first.keep(key(1), phrase(1));
    expect(first.recall(key(1))).toEqual(phrase(1));
    await first.close();
    const second = await open();
    expect(second.recall(key(1))).toBeNull();
    const read = await second.read(key(1));
    expect({ ...read, audio: Uint8Array.from(read?.audio ?? []) }).toEqual(phrase(1));
    expect(second.recall(key(1))).not.toBeNull();
    expect(await second.read(key(2))).toBeNull();
  });

  it('removes the least recently used phrases above its bound of bytes', async () => {
    const folder = await open(3 * FILE_BYTES);
    for (const digit of [1, 2, 3]) folder.keep(key(digit), phrase(digit));
    await folder.close();
    folder.recall(key(1));
    folder.keep(key(4), phrase(4));
    folder.keep(key(5), phrase(5, 10 * FILE_BYTES));
    await folder.close();
    expect((await readdir(directory)).toSorted()).toEqual([1, 3, 4].map((digit) => `${key(digit)}.phrase`));
    // The order of use survives a restart: it is the files' times.
    await utimes(join(directory, `${key(1)}.phrase`), 1, 1);
    const next = await open(3 * FILE_BYTES);
    next.keep(key(6), phrase(6));
    await next.close();
    expect((await readdir(directory)).toSorted()).toEqual([3, 4, 6].map((digit) => `${key(digit)}.phrase`));
  });

  it.each([
    ['cut off', (file: Buffer) => file.subarray(0, -1)],
    ['longer', (file: Buffer) => Buffer.concat([file, Buffer.alloc(1)])],
    ['changed', (file: Buffer) => file.fill(9, file.length - 5)],
    ['without a header', () => Buffer.from('nothing')],
    ['with another header', () => Buffer.from('{"phrase":2}\nxx')],
    ['with no JSON', () => Buffer.from('{\nxx')],
    ['empty', () => Buffer.alloc(0)],
  ])('ignores and replaces a file that is %s', async (_, damage) => {
    const path = join(directory, `${key(1)}.phrase`);
    await writeFile(path, damage(Buffer.from(encodePhrase(phrase(1)))));
    const folder = await open();
    expect(await folder.read(key(1))).toBeNull();
    expect(await readdir(directory)).toEqual([]);
    folder.keep(key(1), phrase(1));
    await folder.close();
    expect(await readFile(path)).toEqual(Buffer.from(encodePhrase(phrase(1))));
  });

  it('keeps files of other programs, and removes files that were not written completely', async () => {
    await writeFile(join(directory, 'notes.txt'), 'mine');
    await writeFile(join(directory, `${key(1)}.phrase.new`), 'half');
    const folder = await open(FILE_BYTES);
    folder.keep(key(2), phrase(2));
    await folder.close();
    expect((await readdir(directory)).toSorted()).toEqual([`${key(2)}.phrase`, 'notes.txt']);
  });

  it('lets one call at a time synthesize a phrase', async () => {
    const folder = await open();
    const claim = folder.claim(key(1));
    expect(claim).not.toBeNull();
    expect(folder.claim(key(1))).toBeNull();
    expect(folder.claim(key(2))).not.toBeNull();
    claim?.release();
    expect(folder.claim(key(1))).not.toBeNull();
  });

  it('a removed folder disables the phrases and reports the reason', async () => {
    const folder = await open();
    await rm(directory, { recursive: true });
    folder.keep(key(1), phrase(1));
    await folder.close();
    expect(folder.recall(key(1))).not.toBeNull();
    expect(errors).toHaveLength(1);
    errors = [];
  });

  it('leaves no part of a phrase that could not be written', async () => {
    const folder = await open();
    await mkdir(join(directory, `${key(1)}.phrase`));
    folder.keep(key(1), phrase(1));
    await folder.close();
    expect(errors).toHaveLength(1);
    expect(await readdir(directory)).toEqual([`${key(1)}.phrase`]);
    errors = [];
  });

  it('shared by two processes, gives each what the other has written, and nothing that it has removed', async () => {
    const one = await open(2 * FILE_BYTES, true);
    const other = await open(2 * FILE_BYTES, true);
    one.keep(key(1), phrase(1));
    await one.close();
    expect(await other.read(key(1))).not.toBeNull();
    other.keep(key(2), phrase(2));
    other.keep(key(3), phrase(3));
    await other.close();
    expect(await readdir(directory)).not.toContain(`${key(1)}.phrase`);
    const third = await open(2 * FILE_BYTES, true);
    await rm(join(directory, `${key(2)}.phrase`));
    expect(await third.read(key(2))).toBeNull();
    expect(await third.read(key(3))).not.toBeNull();
  });

  it('shared by two processes, keeps the file that another one is writing', async () => {
    const unfinished = join(directory, `${key(1)}.phrase.17.new`);
    await writeFile(unfinished, 'half');
    await open(FILE_BYTES, true);
    expect(await readdir(directory)).toEqual([`${key(1)}.phrase.17.new`]);
    await utimes(unfinished, 1, 1);
    await open(FILE_BYTES, true);
    expect(await readdir(directory)).toEqual([]);
  });
});
