import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnowledgeSource } from '../../storage/knowledge/knowledge-base-repository.ts';

/** Below the data directory. */
export const KNOWLEDGE_FOLDER = 'knowledge';

type Named = Pick<KnowledgeSource, 'id' | 'type'>;

/** Where a source's bytes lie. */
export function sourcePath(dataDir: string, { id, type }: Named): string {
  return join(dataDir, KNOWLEDGE_FOLDER, `${id}.${type === 'file' ? 'pdf' : 'txt'}`);
}

/** Puts a source's bytes on the disk, whole or not at all. Rejects where that cannot be done. */
export async function storeSource(dataDir: string, source: Named, bytes: Uint8Array): Promise<void> {
  const path = sourcePath(dataDir, source);
  const file = await open(`${path}.part`, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/** Removes sources' bytes from the disk, also those that were not kept whole. */
export async function deleteSources(dataDir: string, sources: readonly Named[]): Promise<void> {
  for (const source of sources) {
    await rm(sourcePath(dataDir, source), { force: true });
    await rm(`${sourcePath(dataDir, source)}.part`, { force: true });
  }
}
