/** Files that name the version, by their path in the repository. */
export const VERSIONED_FILES = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'deploy/chart/Chart.yaml',
  'deploy/compose.yaml',
  'docs/configuration.md',
  'docs/deploy.md',
] as const;
export type VersionedFile = (typeof VERSIONED_FILES)[number];
export type Texts = Readonly<Record<VersionedFile, string>>;

export interface Release {
  readonly version: string;
  /** ISO date, such as 2026-11-23. */
  readonly date: string;
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * The files of a release: version, date and the changelog's heading. The version in `package.json` is the last one, or this one if
 * it was never released.
 *
 * @throws Error for a version that is no successor, and for a file that does not name the old version
 */
export function releaseTexts(texts: Texts, { date, version }: Release): Texts {
  const last = /"version": "([^"]+)"/.exec(texts['package.json'])?.[1] ?? '';
  if (!isSuccessor(version, last))
    throw new Error(`${version} does not follow ${last}: expected MAJOR.MINOR.PATCH, not lower`);
  const escaped = last.replaceAll('.', '\\.');
  const replaced = (file: VersionedFile, pattern: RegExp, by: string): string => {
    const text = texts[file];
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern.source}: write it, and run this again`);
    return text.replace(pattern, by);
  };
  const everywhere = (file: VersionedFile) =>
    replaced(file, new RegExp(`(trunkline[-:])${escaped}`, 'g'), `$1${version}`);
  return {
    'package.json': replaced('package.json', /"version": "[^"]+"/, `"version": "${version}"`),
    // The top of the lock file and its entry of the package itself.
    'package-lock.json': replaced(
      'package-lock.json',
      new RegExp(`("name": "trunkline",\\s+"version": )"${escaped}"`, 'g'),
      `$1"${version}"`,
    ),
    'CHANGELOG.md': replaced(
      'CHANGELOG.md',
      new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(unreleased\\)$`, 'm'),
      `## ${version} (${date})`,
    ),
    'deploy/chart/Chart.yaml': replaced('deploy/chart/Chart.yaml', /^(version|appVersion): .+$/gm, `$1: ${version}`),
    'deploy/compose.yaml': everywhere('deploy/compose.yaml'),
    'docs/configuration.md': everywhere('docs/configuration.md'),
    'docs/deploy.md': everywhere('docs/deploy.md'),
  };
}

function isSuccessor(version: string, last: string): boolean {
  const parts = (text: string) => VERSION.exec(text)?.slice(1).map(Number);
  const [next, before] = [parts(version), parts(last)];
  if (next === undefined || before === undefined) return false;
  const differing = next.findIndex((part, index) => part !== before[index]);
  return differing === -1 || (next[differing] ?? 0) > (before[differing] ?? 0);
}
