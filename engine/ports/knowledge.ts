/** One search in knowledge bases. The model writes the query. */
export interface KnowledgeSearch {
  readonly knowledgeBaseIds: readonly string[];
  readonly query: string;
}

export interface KnowledgePassage {
  /** The file's name or the text's title. */
  readonly source: string;
  /** Counted from 1; null for a source without pages. */
  readonly page: number | null;
  /** Heading of the passage; empty without one. */
  readonly heading: string;
  readonly content: string;
}

/** Best first. */
export type KnowledgeResult =
  | { readonly type: 'found'; readonly passages: readonly KnowledgePassage[] }
  | { readonly type: 'failed' };

/** Searches the knowledge bases of the call's organization. `search` never throws and calls `done` exactly once. */
export interface Knowledge {
  search(search: KnowledgeSearch, done: (result: KnowledgeResult) => void): void;
}
