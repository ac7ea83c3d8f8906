export interface Passage {
  readonly source: string;
  readonly page?: number;
  readonly text: string;
}

/** Looks passages up in the agent's knowledge bases. `search` never throws; it answers once, best first. */
export interface Knowledge {
  search(
    knowledgeBaseIds: readonly string[],
    query: string,
    limit: number,
    done: (passages: readonly Passage[]) => void,
  ): void;
}
