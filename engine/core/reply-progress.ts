import type { CallContext } from './context.ts';
import type { Reply } from './state/playout-slice.ts';

/** A segment of the reply is on the wire, or paused there. */
export function isReplyAudible({ reply }: CallContext): boolean {
  return reply?.segments.some(({ playout, ended }) => playout !== null && !ended) === true;
}

/** No generation runs or is requested, and all segments were played. */
export function isReplyPlayed({ generation, requestPending, segments }: Reply): boolean {
  return generation === null && !requestPending && segments.every(({ ended }) => ended);
}
