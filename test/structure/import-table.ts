import { dirname } from 'node:path';
import type { SourceFile } from './source-file.ts';

/** The folders that each folder may import, besides itself. */
export type ImportTable = Readonly<Record<string, readonly string[]>>;

type Imports = Pick<SourceFile, 'path' | 'imports'>;

function importedFolder(target: string): string {
  return target.endsWith('/') ? target.slice(0, -1) : dirname(target);
}

/** For each folder its imported folders, each with an example. Imports of folders outside `rooms` are omitted. */
function importsByFolder(files: readonly Imports[], rooms: readonly string[]): Map<string, Map<string, string>> {
  const byFolder = new Map<string, Map<string, string>>();
  for (const { path, imports } of files) {
    const folder = dirname(path);
    const imported = byFolder.get(folder) ?? new Map<string, string>();
    byFolder.set(folder, imported);
    for (const target of imports) {
      const to = importedFolder(target);
      if (to !== folder && rooms.some((room) => target.startsWith(`${room}/`))) imported.set(to, `${path} → ${target}`);
    }
  }
  return byFolder;
}

/** Folders with files but without an entry, imports that no entry allows, and entries that no import needs. */
export function faultsOfImportTable(table: ImportTable, files: readonly Imports[], rooms: readonly string[]): string[] {
  const byFolder = importsByFolder(files, rooms);
  const missing = [...byFolder].flatMap(([folder, imported]) => {
    const entry = table[folder];
    if (entry === undefined) return [`${folder}: has no entry`];
    return [...imported].flatMap(([to, example]) =>
      entry.includes(to) ? [] : [`${example}: '${folder}' lacks '${to}'`],
    );
  });
  const useless = Object.entries(table).flatMap(([folder, entry]) => {
    const imported = byFolder.get(folder);
    if (imported === undefined) return [`${folder}: has an entry, but no files`];
    return entry
      .filter((to, index) => !imported.has(to) || entry.indexOf(to) !== index)
      .map((to) => `'${folder}' does not need '${to}'`);
  });
  return [...missing, ...useless];
}
