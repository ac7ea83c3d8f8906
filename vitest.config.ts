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
    pool: 'forks',
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
