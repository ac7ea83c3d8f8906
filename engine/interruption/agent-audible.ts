import type { CallContext } from '../core/context.ts';

/** A segment of the agent is on the wire, or paused there. */
export function isAgentAudible({ reply }: CallContext): boolean {
  return reply?.segments.some(({ playout, ended }) => playout !== null && !ended) === true;
}
