import { z } from 'zod';
import { ACTIVITIES, type CallActivity } from './call-activity.ts';

type Activities = ReadonlyMap<string, CallActivity>;

const activitySchema = z.object({
  activity: z.enum(ACTIVITIES),
  state: z.string(),
  responseMs: z.number().nullable(),
}) satisfies z.ZodType<CallActivity>;

const answerSchema = z.array(z.tuple([z.string(), activitySchema]));

/** The answer of a node to another one. */
export function activitiesAnswer(activities: Activities): unknown {
  return [...activities];
}

/** Of this node and of others, whose answers are given as they came. One that cannot be read is left out. */
export function activitiesOfNodes(own: Activities, answers: readonly unknown[]): Activities {
  const others = answers.flatMap((answer) => answerSchema.safeParse(answer).data ?? []);
  return new Map([...others, ...own]);
}
