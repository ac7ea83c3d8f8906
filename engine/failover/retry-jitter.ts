import type { CallContext } from '../core/context.ts';

/** FNV-1a, 32 bits. */
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A retry delay from 0.8 to 1.2 times `ms`, so that calls whose provider failed together do not all retry together. It
 * depends only on the call and on its current generation: a replay waits exactly as long.
 */
export function jitteredMs({ parameters, counters }: CallContext, ms: number): number {
  let hash = OFFSET;
  for (const character of `${parameters.callId} ${counters.generation}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME) >>> 0;
  }
  return Math.round(ms * (0.8 + (0.4 * hash) / 2 ** 32));
}
