import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseTexts, type Texts, VERSIONED_FILES } from './release-texts.ts';

/**
 * `node packaging/release.ts 0.2.0 [--dry-run]`: writes the version into the files that name it, commits and tags them, and makes
 * `release/VERSION/`: npm package, image, chart, bill of materials, checksums. Needs a clean checkout, docker and helm. Publishes
 * nothing. With `--dry-run` it changes and makes nothing, and prints what it would write.
 */
const ROOT = join(import.meta.dirname, '..');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const version = positionals[0] ?? '';
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
const say = (line: string) => process.stdout.write(`${line}\n`);

function read(): Texts {
  return {
    'package.json': readFileSync(join(ROOT, 'package.json'), 'utf8'),
    'package-lock.json': readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
    'CHANGELOG.md': readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    'deploy/chart/Chart.yaml': readFileSync(join(ROOT, 'deploy/chart/Chart.yaml'), 'utf8'),
    'deploy/compose.yaml': readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'),
    'docs/configuration.md': readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8'),
    'docs/deploy.md': readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8'),
  };
}

function makeArtefacts(folder: string): void {
  mkdirSync(folder, { recursive: true });
  run('npm', 'pack', '--pack-destination', folder);
  copyFileSync(join(ROOT, 'dist/sbom.cdx.json'), join(folder, `trunkline-${version}.sbom.cdx.json`));
  run('docker', 'build', '--file', 'deploy/Dockerfile', '--tag', `trunkline:${version}`, '.');
  run('docker', 'save', '--output', join(folder, `trunkline-${version}.image.tar`), `trunkline:${version}`);
  run('helm', 'package', 'deploy/chart', '--destination', join(folder, 'chart'));
  // The npm package and the chart have the same file name.
  copyFileSync(join(folder, `chart/trunkline-${version}.tgz`), join(folder, `trunkline-chart-${version}.tgz`));
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const lines = files.map(({ name }) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

const before = read();
const after = releaseTexts(before, { version, date: new Date().toISOString().slice(0, 10) });
const changed = VERSIONED_FILES.filter((file) => before[file] !== after[file]);
if (values['dry-run']) {
  for (const file of changed) {
    const lines = before[file].split('\n');
    const written = after[file].split('\n').filter((line, index) => line !== lines[index]);
    say([file, ...written.map((line) => `  ${line.trim()}`)].join('\n'));
  }
} else {
  const dirty = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
  if (dirty !== '') throw new Error(`the checkout has changes: commit or remove them first\n${dirty}`);
  for (const file of changed) writeFileSync(join(ROOT, file), after[file]);
  run('git', 'commit', '--quiet', '--message', `Release ${version}`, '--', ...changed);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Trunkline ${version}`);
  makeArtefacts(join(ROOT, 'release', version));
  say(`release/${version}/ is ready. Check it, then: git push --follow-tags, npm publish, docker push, helm push`);
}
