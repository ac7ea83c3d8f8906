import { defineConfig } from 'vitest/config';

/**
 * The tests that judge mutants of the engine's rules and of the media worker's detectors: the deterministic tests of both. A few
 * tests of calls that last hours are left out, because they take too long for each mutant.
 */
export default defineConfig({
  test: {
    isolate: false,
    include: ['test/engine/**/*.test.ts', 'test/sip/media/detection/**/*.test.ts'],
    exclude: ['test/engine/properties/**', 'test/engine/history-summary/long-history.call.test.ts'],
    env: { PROPERTY_RUNS: '0' },
    testTimeout: 60_000,
  },
});
