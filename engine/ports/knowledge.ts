/** One search in knowledge bases, in the words of the model. */
export interface KnowledgeSearch {
  readonly knowledgeBaseIds: readonly string[];
  readonly query: string;
}

export interface KnowledgePassage {
  /** The file's name or the text's title. */
  readonly source: string;
  /** From 1; null in a source that has no pages. */
  readonly page: number | null;
  /** The heading that it stands under; empty where there is none. */
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
