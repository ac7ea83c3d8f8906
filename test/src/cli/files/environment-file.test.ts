import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironmentFile } from '../../../../src/cli/files/environment-file.ts';

const folder = () => mkdtemp(join(tmpdir(), 'trunkline-environment-'));

it('reads the variables of a file with or without a byte order mark', async () => {
  for (const mark of ['', '\ufeff']) {
    const directory = await folder();
    await writeFile(join(directory, '.env'), `${mark}HTTP_PORT=8081\r\nDATA_DIR="a b"\r\n`);
    expect(readEnvironmentFile(directory)?.variables).toEqual({ HTTP_PORT: '8081', DATA_DIR: 'a b' });
  }
});

it('takes no line as the value of the line before it', async () => {
  const directory = await folder();
  await writeFile(join(directory, '.env'), 'HTTP_PORT= \nDATA_DIR=data\n');
  expect(readEnvironmentFile(directory)?.variables).toEqual({ HTTP_PORT: '', DATA_DIR: 'data' });
});

it('refuses a file in UTF-16', async () => {
  const directory = await folder();
  await writeFile(join(directory, '.env'), Buffer.from('\ufeffHTTP_PORT=8081\r\n', 'utf16le'));
  expect(() => readEnvironmentFile(directory)).toThrow('the file is not UTF-8 text; save it as UTF-8');
});

it('is null without a file', async () => {
  expect(readEnvironmentFile(await folder())).toBeNull();
});
