import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storiesOverlap } from './paths-overlap.ts';

const pairs: readonly (readonly [one: string, other: string, overlap: boolean])[] = [
  ['src/a/**', 'src/a/b.ts', true],
  ['src/a', 'src/a/b.ts', true],
  ['src/a/', 'src/ab/b.ts', false],
  ['.', 'docs/x.md', true],
  ['./src/a.ts', 'src/A.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['**/*.md', 'src/a.ts', false],
  ['**/*.md', 'src', true],
  ['src/{a,b}.ts', 'src/c.js', false],
  ['src/[ab].ts', 'src/a.ts', true],
  ['src\\a.ts', 'src/a.ts', true],
  ['.github', '.github/workflows/ci.yml', true],
  ['src/a?.ts', 'src/ab.ts', true],
  ['src/a?.ts', 'src/b*.ts', false],
];

describe('storiesOverlap', () => {
  it.each(pairs)('%s and %s: %s', (one, other, overlap) => {
    expect(storiesOverlap([one], [other])).toBe(overlap);
    expect(storiesOverlap([other], [one])).toBe(overlap);
  });

  it('lets a story that declares no paths run beside any other', () => {
    expect(storiesOverlap(undefined, ['.'])).toBe(false);
    expect(storiesOverlap([], ['src'])).toBe(false);
  });

  it('finds every pair of which one path matches both, tried against all short paths', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '?', '**', '*b');
    const pattern = fc.array(segment, { minLength: 1, maxLength: 3 });
    const names = ['a', 'b', 'ab', 'bb'];
    const paths = names.flatMap((x) => [[x], ...names.flatMap((y) => [[x, y], ...names.map((z) => [x, y, z])])]);
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const common = paths.some((path) => isBelow(one, path) && isBelow(other, path));
        if (common) expect(storiesOverlap([one.join('/')], [other.join('/')])).toBe(true);
        expect(storiesOverlap([one.join('/')], [one.join('/')])).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is right about plain folders: one is the other or lies in it', () => {
    const folder = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(folder, folder, (one, other) => {
        const [short, long] = one.length < other.length ? [one, other] : [other, one];
        const expected = short.every((name, i) => long[i] === name);
        expect(storiesOverlap([one.join('/')], [other.join('/')])).toBe(expected);
      }),
    );
  });
});

/** The model: a path is below a pattern when the pattern matches it, or a folder above it. */
function isBelow(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  if (first === '**') return isBelow(rest, path) || (path.length > 0 && isBelow(pattern, path.slice(1)));
  const [name, ...below] = path;
  const expression = new RegExp(`^${first.replaceAll('*', '.*').replaceAll('?', '.')}$`);
  return name !== undefined && expression.test(name) && isBelow(rest, below);
}
