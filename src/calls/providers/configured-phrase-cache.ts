import { join } from 'node:path';
import { openPhraseFolder, type PhraseFolder } from '../../../adapters/decorators/phrase-cache/phrase-folder.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Log } from '../../log/log.ts';

/** The folder of cached phrases. Null: the cache is off, or the folder cannot be opened; calls then go without it. */
export async function openPhraseCache(
  { dataDir, phraseCacheBytes }: Configuration,
  log: Pick<Log, 'warn'>,
): Promise<PhraseFolder | null> {
  if (phraseCacheBytes === 0) return null;
  const onFault = (error: unknown) => log.warn({ err: error }, 'phrase cache error');
  try {
    return await openPhraseFolder(join(dataDir, 'phrases'), phraseCacheBytes, onFault);
  } catch (error) {
    onFault(error);
    return null;
  }
}
