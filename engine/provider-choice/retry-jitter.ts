import type { CallContext } from '../core/context.ts';

/** FNV-1a, 32 bits. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A wait before another try, from half to one and a half times as long: calls whose provider failed them all at once do
 * not come back all at once. It hangs on the call alone, so that a call waits the same when it is replayed.
 */
export function jitteredMs({ parameters, counters }: CallContext, ms: number): number {
  let hash = OFFSET;
  for (const character of `${parameters.callId} ${counters.generation}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME) >>> 0;
  }
  return Math.round(ms * (0.5 + hash / 2 ** 32));
}
