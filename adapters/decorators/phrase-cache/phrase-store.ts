import type { Phrase } from './phrase.ts';

/** Stores phrases for all calls. No method throws or rejects: a store that fails seems empty. */
export interface PhraseStore {
  /** The phrase if it is in memory. */
  recall(key: string): Phrase | null;
  /** The phrase from persistent storage. Does not look in memory. */
  read(key: string): Promise<Phrase | null>;
  /** Stores a phrase: `recall` finds it at once, and it is written in the background. */
  keep(key: string, phrase: Phrase): void;
  /** The right to make a missing phrase, until `release`; null if another call is making it. */
  claim(key: string): { readonly release: () => void } | null;
}
