import { join } from 'node:path';
import type { Logger } from 'pino';
import { withPhraseCache } from '../../../adapters/decorators/phrase-cache/phrase-cache-voice.ts';
import { openPhraseFolder } from '../../../adapters/decorators/phrase-cache/phrase-folder.ts';
import type { InFront } from '../../../adapters/registry/registry.ts';
import type { Configuration } from '../../configuration/configuration.ts';

export interface PhraseCache {
  readonly inFront: InFront;
  /** Resolves once everything was written. */
  close(): Promise<void>;
}

const NO_CACHE: PhraseCache = { inFront: (voice) => voice, close: async () => undefined };

/** The folder of phrases in front of every voice. One that cannot be had costs the cache alone. */
export async function openPhraseCache({ dataDir, phraseCacheBytes }: Configuration, log: Logger): Promise<PhraseCache> {
  if (phraseCacheBytes === 0) return NO_CACHE;
  const onFault = (error: unknown) => log.warn({ err: error }, 'the cache of phrases');
  try {
    const folder = await openPhraseFolder(join(dataDir, 'phrases'), phraseCacheBytes, onFault);
    return { inFront: (voice, server) => withPhraseCache(voice, folder, server), close: () => folder.close() };
  } catch (error) {
    onFault(error);
    return NO_CACHE;
  }
}
