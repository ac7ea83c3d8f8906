import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../..');
const LINK = /\]\(([^)\s]+)\)/g;
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

/** Paths in the tarball that `npm pack` would write, without those that the build adds. */
function packedPaths(): string[] {
  const command = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = packed.parse(
    JSON.parse(execFileSync('npm', command, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })),
  );
  return files.map(({ path }) => path);
}

it('the pages of the package link only to files of the package', async () => {
  const paths = packedPaths();
  const pages = paths.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/README.md', 'docs/trunks.md']));
  const dead: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(ROOT, page), 'utf8');
    for (const [, link = ''] of text.matchAll(LINK)) {
      const [file = ''] = link.split('#');
      const isOutside = /^[a-z]+:/.test(link) || file === '';
      if (!isOutside && !paths.includes(join(dirname(page), file))) dead.push(`${page}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});
