/** A piece of a source, short enough for a prompt. */
export interface KnowledgeChunk {
  /** From 1; null in a source without pages. */
  readonly page: number | null;
  /** The heading above it; empty without one. */
  readonly heading: string;
  readonly content: string;
}

export interface StoredChunk extends KnowledgeChunk {
  readonly id: number;
}

export interface FoundChunk extends StoredChunk {
  readonly sourceId: string;
  /** File name of the source. */
  readonly fileName: string;
}
