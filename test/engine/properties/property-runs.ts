const { PROPERTY_RUNS: configuredRuns } = process.env;

/**
 * The number of runs of a property: `PROPERTY_RUNS` if set, otherwise the test's own number. `property-seed.ts` sets the seed.
 * A release needs 5,000 runs. Mutation testing uses 0, because only deterministic tests may judge mutants.
 */
export function propertyRuns(defaultRuns: number): number {
  return configuredRuns === undefined ? defaultRuns : Number(configuredRuns);
}

/** As every test (`vitest.config.ts`); with a configured number of runs a property may take an hour on a busy machine. */
export const PROPERTY_TIMEOUT_MS = configuredRuns === undefined ? 120_000 : 3_600_000;
