import { describe, expect, test } from 'vitest';
import { containedChecks } from './contained.ts';

const manifest = (scripts: Readonly<Record<string, string>>) => ({ 'package.json': JSON.stringify({ scripts }) });

const CASES: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], readonly string[]])[] = [
  [
    'a test script that lints first',
    manifest({ lint: 'eslint .', test: 'npm run lint && vitest run' }),
    ['npm run lint', 'npm test'],
    ['npm run lint < npm test'],
  ],
  [
    'a script before the tests',
    manifest({ lint: 'eslint .', pretest: 'pnpm lint', test: 'vitest run' }),
    ['pnpm lint', 'pnpm test'],
    ['pnpm lint < pnpm test'],
  ],
  ['the program itself', manifest({ test: 'tsc && jest' }), ['npx tsc', 'npm test'], ['npx tsc < npm test']],
  [
    'several in one call',
    manifest({ a: 'x', b: 'y', check: 'run-s a b' }),
    ['npm run a', 'npm run check'],
    ['npm run a < npm run check'],
  ],
  [
    'targets that need each other',
    { Makefile: 'lint:\n\truff check\ntest: lint\n\t@pytest\n' },
    ['make lint', 'make test'],
    ['make lint < make test'],
  ],
  ['the same twice', manifest({ test: 'jest' }), ['npm test', 'npm run test'], ['npm run test < npm test']],
  ['other arguments are another command', manifest({ test: 'jest' }), ['npm test', 'npm test -- --ci'], []],
  ['nothing in common', manifest({ lint: 'eslint .', test: 'jest' }), ['npm run lint', 'npm test'], []],
  ['a script that calls itself', manifest({ test: 'npm test && jest' }), ['npm test', 'npm run lint'], []],
  ['files that say nothing', {}, ['npm test', 'cargo test'], []],
];

describe('checks that run as part of another', () => {
  test.each(CASES)('%s', (_, texts, commands, expected) => {
    const files = { names: new Set(Object.keys(texts)), text: (name: string) => texts[name] ?? null };
    expect(containedChecks(commands, files).map(({ check, within }) => `${check} < ${within}`)).toEqual(expected);
  });
});
