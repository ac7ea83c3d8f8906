import fc from 'fast-check';

const { PROPERTY_RUNS: asked, PROPERTY_SEED: seed } = process.env;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

/**
 * How often a property of the engine is tried: as often as its test says, or as `PROPERTY_RUNS` does, from `PROPERTY_SEED`
 * on: 5,000 before a release, 0 where mutants are judged, which only tests that are the same each time may do.
 */
export function runs(usual: number): number {
  return asked === undefined ? usual : Number(asked);
}

/** A property that is tried more often than its test says takes an hour at most on a busy machine. */
export const PROPERTY_TIMEOUT_MS = asked === undefined ? 60_000 : 3_600_000;
