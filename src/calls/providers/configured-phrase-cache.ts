import { join } from 'node:path';
import { openPhraseFolder, type PhraseFolder } from '../../../adapters/decorators/phrase-cache/phrase-folder.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Log } from '../../log/log.ts';

/** The folder of cached phrases. Null: the cache is off, or the folder cannot be opened; calls then go without it. */
export async function openPhraseCache(
  { callHosts, dataDir, phraseCacheBytes: bytesMax }: Pick<Configuration, 'callHosts' | 'dataDir' | 'phraseCacheBytes'>,
  log: Pick<Log, 'warn'>,
): Promise<PhraseFolder | null> {
  if (bytesMax === 0) return null;
  const directory = join(dataDir, 'phrases');
  try {
    const onFault = (error: unknown) => log.warn({ err: error }, 'phrase cache error');
    return await openPhraseFolder({ directory, bytesMax, isShared: callHosts > 0, onFault });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = 'make the folder writable for this user, or set PHRASE_CACHE_MB=0';
    log.warn({ folder: directory, reason, remedy }, 'phrase cache not opened');
    return null;
  }
}
