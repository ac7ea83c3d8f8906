/**
 * The constant of reciprocal rank fusion. A larger value reduces the advantage of the first ranks. 60 is the best value of Cormack,
 * Clarke and Büttcher, «Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods», SIGIR 2009.
 */
const RANK_OFFSET = 60;

export interface FusedRank {
  readonly id: number;
  /** From 0 to 1, the first of every ranking. It compares the results of one search only. */
  readonly score: number;
}

/** Merges several rankings into one, best first. Ties keep the order of the first rankings. */
export function fusedRanks(rankings: readonly (readonly number[])[]): readonly FusedRank[] {
  const best = rankings.length / (RANK_OFFSET + 1);
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [place, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + place + 1));
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([id, score]) => ({ id, score: score / best }));
}
