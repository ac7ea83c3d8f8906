import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openPhraseCache } from '../../../../src/calls/providers/configured-phrase-cache.ts';
import { loadConfiguration } from '../../../../src/configuration/configuration.ts';

it('a folder that cannot be opened is reported in one line with its remedy, and calls go without the cache', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'trunkline-phrases-'));
  const folder = join(DATA_DIR, 'phrases');
  await writeFile(folder, '');
  const lines: unknown[] = [];
  const log = { warn: (fields: object, event: string) => void lines.push({ ...fields, event }) };
  expect(await openPhraseCache(loadConfiguration({ DATA_DIR }), log)).toBeNull();
  expect(lines).toEqual([
    {
      folder,
      reason: expect.stringMatching(/^E[A-Z]+: /),
      remedy: 'make the folder writable for this user, or set PHRASE_CACHE_MB=0',
      event: 'phrase cache not opened',
    },
  ]);
});
