import { z } from 'zod';
import { mergedIntervals, type ReachabilityInterval } from './reachability-history.ts';

type Histories = readonly (readonly [trunkId: string, intervals: readonly ReachabilityInterval[]])[];

const answerSchema = z.array(
  z.tuple([
    z.string(),
    z.array(
      z.object({
        startMs: z.number(),
        checks: z.number(),
        reachable: z.number(),
        answered: z.number(),
        roundTripMs: z.number().nullable(),
      }) satisfies z.ZodType<ReachabilityInterval>,
    ),
  ]),
);

/** The checks of this node and of others, whose answers are given as they came. One that cannot be read is left out. */
export function historiesOfNodes(
  own: Histories,
  answers: readonly unknown[],
): ReadonlyMap<string, readonly ReachabilityInterval[]> {
  const all = [own, ...answers.map((answer) => answerSchema.safeParse(answer).data ?? [])].flat();
  const trunkIds = new Set(all.map(([trunkId]) => trunkId));
  return new Map(
    [...trunkIds].map((trunkId) => {
      const ofNodes = all.flatMap(([id, intervals]) => (id === trunkId ? [intervals] : []));
      return [trunkId, mergedIntervals(ofNodes)];
    }),
  );
}
