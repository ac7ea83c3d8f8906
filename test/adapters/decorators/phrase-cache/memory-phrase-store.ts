import type { Phrase } from '../../../../adapters/decorators/phrase-cache/phrase.ts';
import type { PhraseStore } from '../../../../adapters/decorators/phrase-cache/phrase-store.ts';

/** A store in memory. `read` finds the phrases in `onDisk`, as on disk; `recall` finds those in `inMemory`. */
export class MemoryPhraseStore implements PhraseStore {
  readonly inMemory = new Map<string, Phrase>();
  readonly onDisk = new Map<string, Phrase>();
  readonly claimed = new Set<string>();

  recall(key: string): Phrase | null {
    return this.inMemory.get(key) ?? null;
  }

  async read(key: string): Promise<Phrase | null> {
    return this.onDisk.get(key) ?? null;
  }

  keep(key: string, phrase: Phrase): void {
    this.inMemory.set(key, phrase);
  }

  claim(key: string): { readonly release: () => void } | null {
    if (this.claimed.has(key)) return null;
    this.claimed.add(key);
    return { release: () => this.claimed.delete(key) };
  }
}
