/** A piece of a source, short enough to be told to a model. */
export interface KnowledgeChunk {
  /** From 1; null in a source that has no pages. */
  readonly page: number | null;
  /** The heading that it stands under; empty where there is none. */
  readonly heading: string;
  readonly content: string;
}

export interface FoundChunk extends KnowledgeChunk {
  /** Of its source. */
  readonly fileName: string;
}
