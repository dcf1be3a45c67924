import { defineConfig } from 'vitest/config';

/** Unit tests that start real sandboxes: once is enough, whatever the version of Node. */
const SANDBOXES = ['src/adapters/isolation/{battery,bwrap,container,limits}/**/*.test.ts'];

const everyProject = {
  environment: 'node' as const,
  setupFiles: ['test/support/clean-environment.ts'],
  // The default of one second says more about the machine than about what is waited for.
  expect: { poll: { timeout: 30_000 } },
};

/**
 * Suites: `unit` runs the sources, `sandbox` those of its files that start real sandboxes; `e2e`, `docs` (every code block
 * of the documentation) and `torture` run the built program in dist/ (scripts/test.ts builds it first).
 * `agents` drives real clients and is no part of `npm test`; scripts/agents.ts installs them and runs it.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...everyProject,
          name: 'unit',
          setupFiles: [...everyProject.setupFiles, 'test/support/same-inputs.ts'],
          include: ['{src,dashboard,scripts,bench/support,test/support}/**/*.test.{ts,tsx}'],
          exclude: SANDBOXES,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'sandbox',
          include: SANDBOXES,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 600_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'torture',
          include: ['test/torture/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          ...everyProject,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts', 'src/**/*.fixture.ts'],
    },
  },
});
