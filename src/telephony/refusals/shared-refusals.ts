import { z } from 'zod';
import { REFUSAL_CAUSES, type RefusalCause } from './refusal-cause.ts';
import { REFUSALS_MAX, type RefusedInvite } from './refused-invites.ts';

const causes = Object.keys(REFUSAL_CAUSES).filter((name): name is RefusalCause => name in REFUSAL_CAUSES);

const answerSchema = z.array(
  z.object({
    cause: z.enum(causes),
    status: z.number(),
    detail: z.string().nullable(),
    atMs: z.number(),
    source: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
  }) satisfies z.ZodType<RefusedInvite>,
);

/** The latest of this node and of others, whose answers are given as they came. One that cannot be read is left out. Newest first. */
export function refusalsOfNodes(own: readonly RefusedInvite[], answers: readonly unknown[]): readonly RefusedInvite[] {
  const others = answers.flatMap((answer) => answerSchema.safeParse(answer).data ?? []);
  return [...own, ...others].sort((a, b) => b.atMs - a.atMs).slice(0, REFUSALS_MAX);
}
