import { defineConfig } from 'vitest/config';

/**
 * The tests that judge mutants of the engine's rules: those of the engine, without the property tests and the soak, which
 * take too long to be run for each mutant.
 */
export default defineConfig({
  test: {
    include: ['test/engine/**/*.test.ts'],
    exclude: ['test/engine/any-order.test.ts', 'test/engine/any-course.test.ts', 'test/engine/soak.test.ts'],
  },
});
