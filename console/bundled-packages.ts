import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** A package of which the bundle contains code. */
interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly notice: string;
}

/** Path of the package of a module: `…/node_modules/@scope/name`. */
const PACKAGE_FOLDER = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Names the packages in the bundle, for the bill of materials (`packages.json`) and because their licences demand their notices
 * (`assets/licences.txt`).
 */
export function bundledPackages(): Plugin {
  return {
    name: 'bundled-packages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const folders = new Set(modules.flatMap((id) => PACKAGE_FOLDER.exec(id)?.[1] ?? []));
      const packages = [...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(packageIn);
      packages.sort((one, other) => one.name.localeCompare(other.name));
      const listed = packages.map(({ name, version, licence }) => ({ name, version, licence }));
      this.emitFile({ type: 'asset', fileName: 'packages.json', source: `${JSON.stringify(listed, null, 2)}\n` });
      this.emitFile({ type: 'asset', fileName: 'assets/licences.txt', source: packages.map(entryOf).join('\n\n') });
    },
  };
}

function packageIn(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const notices = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const notice = notices.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return { name, version, licence: String(license), notice };
}

function entryOf({ name, version, licence, notice }: BundledPackage): string {
  return `${name} ${version} (${licence})\n${'-'.repeat(40)}\n${notice}\n`;
}
