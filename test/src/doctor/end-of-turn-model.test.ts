import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkEndOfTurnModel } from '../../../src/doctor/end-of-turn-model.ts';
import { temporaryFolder } from '../storage/temporary-database.ts';

const INSTALLED = 'zod';
const MISSING = 'no-such-runtime';

async function modelFile(): Promise<string> {
  const path = join(await temporaryFolder(), 'model.onnx');
  await writeFile(path, 'model');
  return path;
}

it('checks nothing without END_OF_TURN_MODEL', async () => {
  expect(await checkEndOfTurnModel({ endOfTurnModel: null }, MISSING)).toEqual([]);
});

it('finds a readable file and an installed runtime', async () => {
  const path = await modelFile();
  expect(await checkEndOfTurnModel({ endOfTurnModel: path }, INSTALLED)).toEqual([
    { verdict: 'ok', subject: 'end-of-turn model', text: `${path} is readable, and zod is installed` },
  ]);
});

it('warns of a file that does not exist and of a missing runtime', async () => {
  expect(await checkEndOfTurnModel({ endOfTurnModel: '/nowhere/model.onnx' }, MISSING)).toEqual([
    {
      verdict: 'warning',
      subject: 'end-of-turn model',
      text: '/nowhere/model.onnx does not exist: the rules decide',
      remedy: 'set END_OF_TURN_MODEL to an ONNX file, or remove it',
    },
    {
      verdict: 'warning',
      subject: 'end-of-turn model',
      text: 'no-such-runtime is not installed: the rules decide',
      remedy: 'run npm install no-such-runtime beside Trunkline',
    },
  ]);
});

it('warns of a folder in the place of the file', async () => {
  const folder = await temporaryFolder();
  expect(await checkEndOfTurnModel({ endOfTurnModel: folder }, INSTALLED)).toMatchObject([
    { verdict: 'warning', text: `${folder} is not a file: the rules decide` },
  ]);
});

it.skipIf(process.getuid?.() === 0)('warns of a file that this user may not read', async () => {
  const path = await modelFile();
  await chmod(path, 0o000);
  expect(await checkEndOfTurnModel({ endOfTurnModel: path }, INSTALLED)).toMatchObject([
    { verdict: 'warning', text: `this user may not read ${path}: the rules decide` },
  ]);
});
