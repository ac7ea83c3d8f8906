import { defineConfig } from 'vitest/config';

/**
 * The tests that judge mutants of the engine's rules: those of the engine that are the same each time, without the few that
 * run for hours of call, which take too long to be run for each mutant.
 */
export default defineConfig({
  test: {
    isolate: false,
    include: ['test/engine/**/*.test.ts'],
    exclude: ['test/engine/properties/**', 'test/engine/history-summary/long-history.call.test.ts'],
    env: { PROPERTY_RUNS: '0' },
    testTimeout: 60_000,
  },
});
