import type { CallContext } from '../core/context.ts';

/** Added for the model to the user's words if the turn was committed before its end. */
export const MONOLOGUE_NOTE = '[The caller is still talking. Answer briefly what they have said so far.]';

/**
 * Ms until the user has spoken for `max_monologue`; null without that limit. At the limit the turn is committed with
 * the words known so far, and later words belong to the next turn. If the user is silent at the limit, the turn is complete,
 * and waits for its missing words.
 */
export function monologueLeftMs({ agent, userTurn }: CallContext, nowUs: number): number | null {
  if (agent.max_monologue === undefined || userTurn.startedUs === null) return null;
  return Math.max(0, Math.round(agent.max_monologue * 1000 - (nowUs - userTurn.startedUs) / 1000));
}
