import { z } from 'zod';
import type { RigResult } from './rig.ts';

const METRICS = z.object({ per_turn: z.array(z.object({ user: z.unknown(), asked_ms: z.array(z.number()) })) });

/**
 * Requests to the model for each user turn of the calls, and how many the script needs: one a turn, and one after each tool.
 * Those beyond it were made ahead of the end of the turn, and withdrawn.
 */
export function modelRequestsATurn({ reportedCalls, script }: Pick<RigResult, 'reportedCalls' | 'script'>) {
  const turns = [...reportedCalls.values()]
    .flatMap(({ metrics }) => METRICS.safeParse(metrics).data?.per_turn ?? [])
    .filter(({ user }) => user !== null);
  const made = turns.reduce((sum, { asked_ms }) => sum + asked_ms.length, 0);
  const needed = script.turns.reduce((sum, { steps }) => sum + steps.length, 0);
  return { made: made / turns.length, needed: needed / script.turns.length };
}
