import type { Phrase } from '../../../../adapters/decorators/phrase-cache/phrase.ts';
import type { PhraseStore } from '../../../../adapters/decorators/phrase-cache/phrase-store.ts';

/** A store without a disk. What is put into `slow` must be read; what is in `kept` is at hand. */
export class MemoryPhraseStore implements PhraseStore {
  readonly kept = new Map<string, Phrase>();
  readonly slow = new Map<string, Phrase>();
  readonly claimed = new Set<string>();

  recall(key: string): Phrase | null {
    return this.kept.get(key) ?? null;
  }

  async read(key: string): Promise<Phrase | null> {
    return this.slow.get(key) ?? null;
  }

  keep(key: string, phrase: Phrase): void {
    this.kept.set(key, phrase);
  }

  claim(key: string): { readonly release: () => void } | null {
    if (this.claimed.has(key)) return null;
    this.claimed.add(key);
    return { release: () => this.claimed.delete(key) };
  }
}
