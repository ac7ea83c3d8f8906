import type { Phrase } from './phrase.ts';

/** Where phrases are kept, for all calls. None of it throws or rejects: a store that fails holds nothing. */
export interface PhraseStore {
  /** What is at hand without waiting. */
  recall(key: string): Phrase | null;
  read(key: string): Promise<Phrase | null>;
  /** Written behind: it can be recalled at once. */
  keep(key: string, phrase: Phrase): void;
  /** The right to make a phrase that is missing, until `release`; null where somebody else is making it. */
  claim(key: string): { readonly release: () => void } | null;
}
