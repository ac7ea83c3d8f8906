/**
 * The constant of reciprocal rank fusion: the larger, the less a first place counts before a second (Cormack, Clarke and
 * Büttcher, «Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods», SIGIR 2009, where 60 did best).
 */
const RANK_OFFSET = 60;

/** One ranking of several, best first: what stands high in many of them. Of equals, the one that the first rankings name earlier. */
export function fusedRanks(rankings: readonly (readonly number[])[]): readonly number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [place, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + place + 1));
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).map(([id]) => id);
}
