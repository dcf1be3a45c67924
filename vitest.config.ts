import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests of functions without effects: they share threads, and nothing between them has to be cleaned up. */
const PURE = ['src/{rules,contracts}/**/*.test.ts', 'src/surfaces/{terminal,monitor,report}/**/*.test.ts'];

/** Tests beside the sources that start real sandboxes. */
const SANDBOXES = ['src/adapters/isolation/{battery,bwrap,container,limits}/**/*.test.ts'];

/** The longest files first, else they run alone at the end: torture, then as Vitest does it, by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/test/torture/');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const TAGS = [
  { name: 'promise', description: 'a promise of the README: part of npm test' },
  { name: 'long', description: 'proves at length, or for another backend, what shorter tests prove: not in CI' },
];

const common = {
  tags: TAGS,
  environment: 'node' as const,
  setupFiles: ['test/support/clean-environment.ts'],
  // The default of one second says more about the machine than about what is waited for.
  expect: { poll: { timeout: 300_000 } },
  // Limits end what hangs. They prove nothing about speed.
  testTimeout: 600_000,
  hookTimeout: 1_200_000,
};

const withProperties = [...common.setupFiles, 'test/support/properties.ts'];

/**
 * Suites, run by scripts/test.ts and scripts/verify.ts. `pure`, `unit` and `sandbox` run the sources; the others run the
 * built program in dist/. Of those, tests with the tag `promise` are part of `npm test`: docs/promises.md lists them.
 * CI leaves out those with the tag `long`: naming their suite runs them, too (`npm test -- e2e`).
 * `agents` drives clients that scripts/agents.ts installs, and runs on demand.
 */
export default defineConfig({
  test: {
    tags: TAGS,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: { ...common, name: 'pure', include: PURE, setupFiles: withProperties, pool: 'threads', isolate: false },
      },
      {
        test: {
          ...common,
          name: 'unit',
          include: ['{src,dashboard,scripts,bench/support,test/support}/**/*.test.{ts,tsx}'],
          exclude: [...PURE, ...SANDBOXES],
          setupFiles: withProperties,
        },
      },
      { test: { ...common, name: 'sandbox', include: SANDBOXES } },
      { test: { ...common, name: 'docs', include: ['test/docs/**/*.test.ts'] } },
      {
        test: { ...common, name: 'e2e', include: ['test/e2e/**/*.test.ts'], exclude: ['**/node_modules/**'] },
      },
      { test: { ...common, name: 'browser', include: ['test/browser/**/*.test.ts'] } },
      { test: { ...common, name: 'simulation', include: ['test/simulation/**/*.test.ts'] } },
      { test: { ...common, name: 'torture', include: ['test/torture/**/*.test.ts'] } },
      {
        test: {
          ...common,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 600_000,
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
