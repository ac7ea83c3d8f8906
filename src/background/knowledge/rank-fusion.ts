/**
 * The constant of reciprocal rank fusion. A larger value reduces the advantage of the first ranks. 60 is the best value of Cormack,
 * Clarke and Büttcher, «Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods», SIGIR 2009.
 */
const RANK_OFFSET = 60;

/** Merges several rankings into one, best first. Ties keep the order of the first rankings. */
export function fusedRanks(rankings: readonly (readonly number[])[]): readonly number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [place, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + place + 1));
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}
