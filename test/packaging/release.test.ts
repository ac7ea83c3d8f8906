import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { releaseTexts, type Texts } from '../../packaging/release-texts.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DATE = '2030-01-02';
const TEXTS: Texts = {
  'package.json': '{\n  "name": "trunkline",\n  "version": "1.4.0",\n  "a": "1.4.0"\n}\n',
  'package-lock.json':
    '{ "name": "trunkline",\n  "version": "1.4.0", "packages": { "": { "name": "trunkline",\n "version": "1.4.0" }, "x": { "version": "1.4.0" } } }',
  'CHANGELOG.md': '# Changelog\n\n## 1.5.0 (unreleased)\n\n- New.\n\n## 1.4.0 (2029-01-01)\n',
  'deploy/chart/Chart.yaml': 'apiVersion: v2\nversion: 1.4.0\nappVersion: 1.4.0\n',
  'deploy/compose.yaml': '    image: trunkline:1.4.0\n',
  'docs/configuration.md': '`trunkline-1.4.0.tgz`',
  'docs/deploy.md': 'docker build -t trunkline:1.4.0 .\nnpm install trunkline-1.4.0.tgz\n',
};

describe('a release', () => {
  it('writes its version and date into each file that names them, and into nothing else', () => {
    expect(releaseTexts(TEXTS, { version: '1.5.0', date: DATE })).toEqual({
      'package.json': '{\n  "name": "trunkline",\n  "version": "1.5.0",\n  "a": "1.4.0"\n}\n',
      'package-lock.json':
        '{ "name": "trunkline",\n  "version": "1.5.0", "packages": { "": { "name": "trunkline",\n "version": "1.5.0" }, "x": { "version": "1.4.0" } } }',
      'CHANGELOG.md': `# Changelog\n\n## 1.5.0 (${DATE})\n\n- New.\n\n## 1.4.0 (2029-01-01)\n`,
      'deploy/chart/Chart.yaml': 'apiVersion: v2\nversion: 1.5.0\nappVersion: 1.5.0\n',
      'deploy/compose.yaml': '    image: trunkline:1.5.0\n',
      'docs/configuration.md': '`trunkline-1.5.0.tgz`',
      'docs/deploy.md': 'docker build -t trunkline:1.5.0 .\nnpm install trunkline-1.5.0.tgz\n',
    });
  });

  it.each(['1.3.9', '0.9.0', '1.5', 'v1.5.0', ''])('refuses the version «%s» after 1.4.0', (version) => {
    expect(() => releaseTexts(TEXTS, { version, date: DATE })).toThrow('does not follow 1.4.0');
  });

  it('refuses a version without a heading in the changelog', () => {
    expect(() => releaseTexts(TEXTS, { version: '1.6.0', date: DATE })).toThrow('CHANGELOG.md has no');
  });

  it('of this checkout changes nothing as a dry run, and prints what it would write', () => {
    const version = /^## (\S+) \(unreleased\)$/m.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))?.[1] ?? '';
    const printed = execFileSync(process.execPath, ['packaging/release.ts', version, '--dry-run'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(printed).toMatch(
      new RegExp(`^CHANGELOG\\.md\\n {2}## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'),
    );
  });
});
