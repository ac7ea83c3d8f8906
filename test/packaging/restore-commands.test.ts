import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readMarkdown } from '../structure/markdown.ts';

/** The line of docs/backup.md that begins so. */
function command(start: string): string {
  const line = readMarkdown('docs/backup.md')
    .split('\n')
    .find((text) => text.startsWith(start));
  if (line === undefined) throw new Error(`docs/backup.md has no command ${start}`);
  return line;
}

it('moves the data of before aside at each restore, also at the second one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-restore-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = ['OLD=', 'mv /var/lib/trunkline '].map(command).join('\n').replaceAll('/var/lib', folder);
  for (const time of ['20300102030405', '20300102030406']) {
    writeFileSync(join(folder, 'date'), `#!/bin/sh\necho ${time}\n`, { mode: 0o755 });
    mkdirSync(join(folder, 'trunkline'));
    execFileSync('sh', ['-c', script], { env: { PATH: `${folder}:${process.env.PATH}` } });
  }
  const kept = readdirSync(folder).filter((name) => name !== 'date');
  expect(kept.sort()).toEqual(['trunkline_20300102030405', 'trunkline_20300102030406']);
});
