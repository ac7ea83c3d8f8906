import { join } from 'node:path';
import { openPhraseFolder, type PhraseFolder } from '../../../adapters/decorators/phrase-cache/phrase-folder.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Log } from '../../log/log.ts';

/**
 * The folder of cached phrases. Null: the cache is off, or the folder cannot be opened; calls then go without it.
 *
 * @param owner name of a subfolder of its own, for one of several processes
 */
export async function openPhraseCache(
  { dataDir, phraseCacheBytes }: Pick<Configuration, 'dataDir' | 'phraseCacheBytes'>,
  log: Pick<Log, 'warn'>,
  owner = '',
): Promise<PhraseFolder | null> {
  if (phraseCacheBytes === 0) return null;
  const folder = join(dataDir, 'phrases', owner);
  try {
    return await openPhraseFolder(folder, phraseCacheBytes, (error) => log.warn({ err: error }, 'phrase cache error'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'make the folder writable for this user, or set PHRASE_CACHE_MB=0';
    log.warn({ folder, reason, remedy }, 'phrase cache not opened');
    return null;
  }
}
