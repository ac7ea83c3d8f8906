import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableColumns, TableRow } from '../storage/link/table-snapshot.ts';

/** Folders of the data directory that a backup holds. */
export const DATA_FOLDERS: readonly string[] = ['recordings', 'tapes', 'knowledge'];
const PIECE_BYTES = 1024 * 1024;

/**
 * Paths below the data directory that belong to a row: the recording and the folder of the tape of a call, the file of a knowledge
 * source. Not all of them need to exist.
 */
export function pathsOf({ table, columns }: TableColumns, row: TableRow, withRecordings: boolean): readonly string[] {
  const value = (column: string) => row[columns.indexOf(column)] ?? null;
  switch (table) {
    case 'calls': {
      const recording = value('recording_path');
      if (!withRecordings) return [];
      return [...(typeof recording === 'string' ? [recording] : []), join('tapes', String(value('id')))];
    }
    case 'knowledge_sources':
      return [join('knowledge', `${value('id')}.${value('type') === 'file' ? 'pdf' : 'txt'}`)];
    default:
      return [];
  }
}

/** The files at a path: itself, or those in the folder. Empty if there is nothing: its content was deleted since, or never written. */
export async function filesAt(dataDir: string, path: string): Promise<readonly string[]> {
  try {
    const inside = await readdir(join(dataDir, path), { recursive: true, withFileTypes: true });
    const files = inside.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(join(dataDir, '/').length)).sort();
  } catch (error) {
    if (isFault(error, 'ENOTDIR')) return [path];
    if (isFault(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Opens a file as it is now: what is appended later is left out. Null: it was deleted. The caller closes it. */
export async function openFile(path: string): Promise<{ readonly file: FileHandle; readonly size: number } | null> {
  try {
    const file = await open(path);
    const { size } = await file.stat();
    return { file, size };
  } catch (error) {
    if (isFault(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The first `size` bytes. Rejects if the file has become shorter. */
export async function* contentOf(path: string, file: FileHandle, size: number): AsyncIterable<Uint8Array> {
  for (let position = 0; position < size; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - position));
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new Error(`${path} became shorter while it was read: run the backup again`);
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

function isFault(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
