import { defineConfig } from 'vitest/config';

/**
 * The tests of one area alone; `MUTATION_TESTS` has their globs, separated by commas. One process, as a mutant is
 * switched on by a variable of the process.
 */
// biome-ignore lint/style/noDefaultExport: Vitest reads it.
export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: ['test/support/clean-environment.ts', 'scripts/mutation/fewer-runs.ts'],
    include: (process.env['MUTATION_TESTS'] ?? '').split(','),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
