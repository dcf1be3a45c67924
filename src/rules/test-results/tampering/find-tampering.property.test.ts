import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { findTampering } from './find-tampering.ts';

const paths = [
  'a.test.ts',
  'test_a.py',
  'a_test.go',
  'tests/a.rs',
  'src/test/ATest.java',
  'tests/ATests.cs',
  'spec/a_spec.rb',
  'tests/ATest.php',
  'test/a_test.exs',
  'Tests/ATests.swift',
  'test/a_test.cc',
  'test/a.bats',
  'package.json',
  'Makefile',
  'tsconfig.json',
  '.github/workflows/ci.yml',
  '__snapshots__/a.snap',
] as const;

const piece = fc.constantFrom(
  ...[
    'it(',
    'test("a", () => {\n',
    '})\n',
    'expect(x).toBe(1);\n',
    'def test_a():\n',
    '    assert x\n',
    '#[test]\n',
    'fn a() {',
  ],
  ...[
    '@Test\n',
    'func TestA(t *testing.T) {\n',
    '}\n',
    '`',
    '"',
    "'",
    '"""',
    '/*',
    '*/',
    '//',
    '#',
    '${',
    '[',
    ']',
    '(',
    ')',
    '\n',
    ' ',
  ],
  ...[
    '|| true',
    '"scripts": {',
    'end\n',
    '/',
    '\\',
    'return;\n',
    '.skip',
    '.each',
    '<',
    '>',
    '1',
    'branches: 3',
    'é',
    '\u0000',
  ],
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string(),
);
const side = fc.option(text, { nil: null });

describe('findTampering', () => {
  it('takes any text', () => {
    const change = fc.record({ path: fc.constantFrom(...paths), before: side, after: side });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        for (const { line, detail } of findTampering(changes)) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(detail).toMatch(/\.$/);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('finds nothing where nothing changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), side, (path, same) => {
        expect(findTampering([{ path, before: same, after: same }])).toEqual([]);
      }),
    );
  });

  it('finds nothing when tests only change places', () => {
    const bodies = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 2, maxLength: 12 });
    const shuffled = bodies.chain((ids) =>
      fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length, maxLength: ids.length })),
    );
    const script = (ids: readonly number[]) =>
      ids.map((id) => `it('case ${id}', () => {\n  expect(run(${id})).toBe(${id * 2});\n});\n`).join('\n');
    const python = (ids: readonly number[]) =>
      ids.map((id) => `def test_${id}():\n    assert run(${id}) == ${id * 2}\n`).join('\n\n');
    fc.assert(
      fc.property(shuffled, ([before, after]) => {
        expect(findTampering([{ path: 'a.test.ts', before: script(before), after: script(after) }])).toEqual([]);
        expect(findTampering([{ path: 'test_a.py', before: python(before), after: python(after) }])).toEqual([]);
      }),
    );
  });

  it.each(['src/big.test.ts', 'test_big.py'])('reads two thousand lines of %s in a blink', (path) => {
    const cases = Array.from({ length: 250 }, (_, id) =>
      path.endsWith('.py')
        ? `def test_${id}():\n    value = run(${id})\n    # why\n    assert value == ${id}\n    assert value != "x${id}"\n    assert run(value)\n\n\n`
        : `it('case ${id}', async () => {\n  const value = run(${id});\n  // why\n  expect(value).toBe(${id});\n  expect(value).not.toBe('x${id}');\n  expect(run(value)).toBe(1);\n});\n\n`,
    );
    const change = { path, before: cases.join(''), after: cases.slice(0, 200).join('').replaceAll('value', 'result') };
    findTampering([change]);
    expect(findTampering([change])).not.toEqual([]);
  });
});
