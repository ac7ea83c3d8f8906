import type { KnowledgeSourceText } from '../generated/client.ts';

export interface SourcePage {
  /** null: the source has no pages. */
  readonly page: number | null;
  readonly passages: readonly KnowledgeSourceText[];
}

/** The passages of each page, in the order of the pages. */
export function pagesOf(passages: readonly KnowledgeSourceText[]): readonly SourcePage[] {
  const pages = new Map<number | null, KnowledgeSourceText[]>();
  for (const passage of passages) {
    const known = pages.get(passage.page);
    if (known === undefined) pages.set(passage.page, [passage]);
    else known.push(passage);
  }
  return [...pages].map(([page, found]) => ({ page, passages: found }));
}
