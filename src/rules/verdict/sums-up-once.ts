import type { Finding } from './detectors/finding.ts';

/** Frameworks that sum up once per call, however many files there are: what goes beyond that was printed by a test. */
const ONCE: ReadonlySet<string> = new Set([
  'jest',
  'vitest',
  'mocha',
  'node:test',
  'uvu',
  'jasmine',
  'bun',
  'deno',
  'pytest',
  'unittest',
  'behave',
  'rspec',
  'minitest',
  'test-unit',
  'bats',
  'phpunit',
  'busted',
  'prove',
]);

/** Those that sum up each package, and at the very end whether one of them failed. */
const AT_THE_END: ReadonlySet<string> = new Set(['go']);

/** Does one call of this framework end with one summary, which is one finding? `cut`: its end is not seen. */
export function sumsUpOnce({ framework }: Finding, cut: boolean): boolean {
  return ONCE.has(framework) || (!cut && AT_THE_END.has(framework));
}
