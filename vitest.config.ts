import { defineConfig } from 'vitest/config';

/** Where CI wants its machine-readable report. */
const report = process.env.VITEST_JSON;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/temporary-folder.ts'],
    // A test that starts three processes takes a third of this on two cores that do other things as well.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Calls in real time on a shared machine: CI tries a failed test once more, and its report names it. Locally it just fails.
    retry: report === undefined ? 0 : 1,
    pool: 'forks',
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
