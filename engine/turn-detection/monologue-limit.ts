import type { CallContext } from '../core/context.ts';

/** Added for the model to the user's words where the turn was committed before its end. */
export const MONOLOGUE_NOTE = '[The caller is still talking. Answer briefly what they have said so far.]';

/**
 * In how many ms the user has spoken for as long as the agent lets them; null where it lets them speak for ever. The
 * turn is then taken as far as its words are known, and what is said from there on is the next turn's.
 */
export function monologueLeftMs({ agent, userTurn }: CallContext, nowUs: number): number | null {
  if (agent.max_monologue === undefined || userTurn.startedUs === null) return null;
  return Math.max(0, Math.round(agent.max_monologue * 1000 - (nowUs - userTurn.startedUs) / 1000));
}
