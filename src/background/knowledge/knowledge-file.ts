import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';

/** Folder in the data directory. */
export const KNOWLEDGE_FOLDER = 'knowledge';

type Named = Pick<KnowledgeSource, 'id' | 'type'>;

/** Path of the file of a source. */
export function sourcePath(dataDir: string, { id, type }: Named): string {
  return join(dataDir, KNOWLEDGE_FOLDER, `${id}.${type === 'file' ? 'pdf' : 'txt'}`);
}

/** Writes the file of a source atomically, a piece at a time. Rejects if that fails, or with the error of `content`. */
export async function storeSource(
  dataDir: string,
  source: Named,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const path = sourcePath(dataDir, source);
  const file = await open(`${path}.part`, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/** Removes the files of sources, including incomplete ones. */
export async function deleteSources(dataDir: string, sources: readonly Named[]): Promise<void> {
  for (const source of sources) {
    await rm(sourcePath(dataDir, source), { force: true });
    await rm(`${sourcePath(dataDir, source)}.part`, { force: true });
  }
}
