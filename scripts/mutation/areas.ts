/** What is mutated together, and the tests that have to notice. */
export interface Area {
  /** Globs of sources, from the root of the repository. */
  readonly sources: readonly string[];
  /** Globs of the tests that say what these sources do. */
  readonly tests: readonly string[];
}

/** Tests and what only tests use say nothing when they are changed. */
const NOT_TESTS = ['!src/**/*.test.ts', '!src/**/*.fixture.ts'];

/** The parts whose mistakes nothing else would notice: who may do what, what is dangerous, and when it ends. */
export const AREAS: Readonly<Record<string, Area>> = {
  backlog: {
    sources: ['src/rules/backlog/**/*.ts', ...NOT_TESTS],
    tests: ['src/rules/backlog/**/*.test.ts'],
  },
  guard: {
    sources: ['src/rules/guard/**/*.ts', ...NOT_TESTS],
    tests: ['src/rules/guard/**/*.test.ts'],
  },
  safeguards: {
    sources: ['src/rules/safeguards/**/*.ts', ...NOT_TESTS],
    tests: ['src/rules/safeguards/**/*.test.ts'],
  },
  judge: {
    sources: ['src/rules/judge/**/*.ts', ...NOT_TESTS],
    tests: ['src/rules/judge/**/*.test.ts'],
  },
  decide: {
    sources: ['src/loop/decide.ts', 'src/loop/steering/decide-story.ts'],
    tests: ['src/loop/decide*.test.ts', 'src/loop/steering/decide-story.test.ts'],
  },
};
