import { defineConfig } from 'vitest/config';

/** Where CI wants its machine-readable report. */
const report = process.env.VITEST_JSON;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/temporary-folder.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
