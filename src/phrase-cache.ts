import { join } from 'node:path';
import type { Logger } from 'pino';
import { openPhraseFolder } from '../adapters/phrase-cache/phrase-folder.ts';
import { createPhraseCacheVoice } from '../adapters/phrase-cache/voice.ts';
import type { Voice } from '../engine/ports/voice.ts';
import type { Configuration } from './configuration.ts';

export interface PhraseCache {
  inFront(voice: Voice): Voice;
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
    return { inFront: (voice) => createPhraseCacheVoice(voice, folder), close: () => folder.close() };
  } catch (error) {
    onFault(error);
    return NO_CACHE;
  }
}
