import { describe, expect, it } from 'vitest';
import type { TamperFinding } from '../../../contracts/index.ts';
import type { FileChange } from './change.ts';
import { findTampering } from './find-tampering.ts';

const changed = (path: string, before: string | null, after: string | null): FileChange => ({ path, before, after });

function found(...changes: readonly FileChange[]): readonly string[] {
  return findTampering(changes).map(({ severity, kind }) => `${severity} ${kind}`);
}

const cart = `import { Cart } from './cart.js';

describe('Cart', () => {
  it('starts without items', () => {
    const cart = new Cart();
    expect(cart.items).toEqual([]);
    expect(cart.total()).toBe(0);
  });

  it('sums the prices of its items', () => {
    const cart = new Cart();
    cart.add({ name: 'pear', price: 120 });
    cart.add({ name: 'plum', price: 80 });
    expect(cart.total()).toBe(200);
    expect(cart.items).toHaveLength(2);
  });

  it('refuses a negative price', () => {
    expect(() => new Cart().add({ name: 'leek', price: -1 })).toThrow(RangeError);
  });
});
`;
const [head = '', starts = '', sums = '', refuses = ''] = cart.split(/(?<=\n)(?= {2}it\()/);
const path = 'src/cart.test.ts';
const edited = (from: string | RegExp, to: string) => changed(path, cart, cart.replace(from, to));

describe('findTampering on tests', () => {
  it('names a deleted test by its line before', () => {
    expect(findTampering([changed(path, cart, head + starts + refuses)])).toEqual([
      {
        kind: 'test-deleted',
        path,
        line: 10,
        detail: 'Test “sums the prices of its items” was deleted.',
        severity: 'high',
      } satisfies TamperFinding,
    ]);
  });

  it('tells a commented-out test from a deleted one', () => {
    const commented = sums.replace(/^(?=.)/gm, '// ');
    const [finding] = findTampering([changed(path, cart, head + starts + commented + refuses)]);
    expect(finding).toMatchObject({
      kind: 'test-deleted',
      severity: 'high',
      detail: expect.stringContaining('commented'),
    });
  });

  it.each([
    ['test/a.test.js', "const t=require('node:test'),s=require('node:assert');\nt('a',()=>s.equal(1,1));\n"],
    ['test/a.bats', '@test "adds" {\n  run add 1 2\n}\n'],
    ['tests/test_a.lua', 'check("adds", function() same(add(1, 2), 3) end)\n'],
  ])('sees that %s was deleted, whatever its functions are called', (file, text) => {
    expect(findTampering([changed(file, text, null)])).toMatchObject([
      { kind: 'test-deleted', path: file, severity: 'high', detail: expect.stringContaining('deleted') },
    ]);
    const moved = file.replace('a.', 'moved.');
    expect(found(changed(file, text, null), changed(moved, null, text))).toEqual([]);
    expect(found(changed(file, text, null), changed('src/a.js', 'export const a = 1;\n', null))).toEqual([
      'low test-deleted',
    ]);
  });

  it('thinks nothing of helpers and snapshots that are deleted', () => {
    expect(found(changed('test/support/make.js', 'export const make = () => 1;\n', null))).toEqual([]);
  });

  it('sums up a deleted file', () => {
    expect(findTampering([changed(path, cart, null)])).toMatchObject([
      { kind: 'test-deleted', line: 1, severity: 'high', detail: expect.stringContaining('3 tests') },
    ]);
  });

  it('thinks less of tests that went together with their subject', () => {
    expect(found(changed(path, cart, null), changed('src/cart.ts', 'export class Cart {}', null))).toEqual([
      'low test-deleted',
    ]);
  });

  it.each([
    ['it.skip', edited("it('sums", "it.skip('sums")],
    ['xit', edited("it('sums", "xit('sums")],
    ['it.todo', edited("it('sums", "it.todo('sums")],
    ['describe.skip', edited("describe('Cart", "describe.skip('Cart")],
    ['an early return', edited("prices of its items', () => {\n", "prices of its items', () => {\n    return;\n")],
  ])('sees what no longer runs: %s', (_, change) => {
    expect(found(change)).toEqual(['high test-skipped']);
  });

  it('sees a selection that hides the other tests', () => {
    expect(found(edited("it('starts", "it.only('starts"))).toEqual(['high test-only-selected']);
  });

  it('thinks less of a skip under a condition', () => {
    expect(found(edited("it('sums", "it.skipIf(process.platform === 'win32')('sums"))).toEqual(['low test-skipped']);
  });

  it.each([
    ['removed', edited('    expect(cart.total()).toBe(200);\n', ''), 'high assertion-removed'],
    [
      'replaced by a tautology',
      edited('expect(cart.total()).toBe(200)', 'expect(true).toBe(true)'),
      'high assertion-weakened',
    ],
    [
      'made vague',
      edited('expect(cart.total()).toBe(200)', 'expect(cart.total()).toBeDefined()'),
      'high assertion-weakened',
    ],
  ])('sees an assertion that was %s', (_, change, expected) => {
    expect(found(change)).toEqual([expected]);
  });

  it('takes a test that its runner no longer finds as deleted', () => {
    expect(found(changed(path, cart, null), changed('src/cart.test.ts.off', null, cart))).toEqual([
      'high test-deleted',
    ]);
  });
});

const helper = `function expectCart(cart, items, total) {
  expect(cart.items).toHaveLength(items);
  expect(cart.total()).toBe(total);
}
`;
const folded = `  it.each([
    ['starts without items', [], 0],
    ['sums the prices of its items', [{ name: 'pear', price: 120 }, { name: 'plum', price: 80 }], 200],
  ])('%s', (_, items, total) => {
    const cart = new Cart();
    for (const item of items) cart.add(item);
    expect(cart.items).toHaveLength(items.length);
    expect(cart.total()).toBe(total);
  });
`;

describe('findTampering on what tests share', () => {
  const withHelper = (body: string) =>
    `function expectSum(sum) {\n${body}}\n\nit('sums', () => {\n  expectSum(add(1, 2));\n});\n`;

  it('sees a helper that lost its assertion', () => {
    const before = withHelper('  expect(sum.value).toBe(3);\n  expect(sum.exact).toBe(true);\n');
    expect(found(changed(path, before, withHelper('  expect(sum.exact).toBe(true);\n')))).toEqual([
      'high assertion-removed',
    ]);
  });

  it('is not taken in by a helper that asserts nothing', () => {
    const after = `function expectCart() {}\n${cart.replace(/ {4}expect\(cart.total\(\)\).toBe\(200\);\n.*\n/, '    expectCart(cart);\n')}`;
    expect(found(changed(path, cart, after))).toEqual(['low assertion-removed']);
  });

  it('sees rows that left a table', () => {
    const table = (...rows: readonly string[]) =>
      `it.each([\n${rows.map((row) => `  ${row},\n`).join('')}])('adds %s', (a, b) => {\n  expect(add(a, 1)).toBe(b);\n});\n`;
    const before = table('[1, 2]', '[7, 8]', '[40, 41]');
    expect(found(changed(path, before, table('[1, 2]', '[7, 8]')))).toEqual(['high test-deleted']);
    expect(found(changed(path, before, table('[40, 41]', '[1, 2]', '[7, 8]', '[9, 10]')))).toEqual([]);
  });

  it('sees a Python module that is skipped as a whole', () => {
    const before = 'import pytest\n\n\ndef test_a():\n    assert a() == 1\n';
    const after = before.replace('pytest\n', 'pytest\n\npytestmark = pytest.mark.skip("later")\n');
    expect(found(changed('test_a.py', before, after))).toEqual(['high test-skipped']);
  });

  it('mentions a handler that swallows what an assertion throws', () => {
    const after = cart.replace(/( {4}expect\(cart.total\(\)\).toBe\(200\);)/, '    try {\n  $1\n    } catch {}');
    expect(found(changed(path, cart, after))).toEqual(['low assertion-weakened']);
  });

  it('excuses an assertion about a function that is gone, not one about a local variable that is', () => {
    const before = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n  expect(legacySum(1, 2)).toBe(3);\n});\n";
    const after = before.replace(/ {2}expect\(legacy.*\n/, '');
    const source = 'export function legacySum(a, b) {\n  return a + b;\n}\n';
    const kept = 'export function add(a, b) {\n  return a + b;\n}\n';
    expect(found(changed(path, before, after), changed('src/sum.ts', source + kept, kept))).toEqual([
      'low assertion-removed',
    ]);
    const local = 'export function add(a, b) {\n  const legacySum = a + b;\n  return legacySum;\n}\n';
    expect(found(changed(path, before, after), changed('src/sum.ts', local, kept))).toEqual(['high assertion-removed']);
  });
});

describe('findTampering on honest changes', () => {
  it.each([
    ['reordered tests', [changed(path, cart, `${head}${sums}\n${starts}${refuses}`)]],
    [
      'another layout',
      [edited(/'/g, '"'), changed('a.test.ts', cart, cart.replaceAll('    ', '\t').replaceAll(';\n', '\n'))],
    ],
    ['a moved file', [changed(path, cart, null), changed('test/cart.spec.ts', null, cart)]],
    [
      'a test moved to another file',
      [changed(path, cart, head + starts + refuses), changed('src/sums.test.ts', null, `${sums}`)],
    ],
    ['a renamed test', [edited('sums the prices of its items', 'adds up what its items cost')]],
    [
      'an added test',
      [edited("  it('refuses", "  it('is new', () => {\n    expect(1 + 1).toBe(2);\n  });\n\n  it('refuses")],
    ],
    ['another expected value', [edited('toBe(200)', 'toBe(210)')]],
    ['an assertion rewritten', [edited('expect(cart.items).toHaveLength(2)', 'expect(cart.items.length).toBe(2)')]],
    [
      'several assertions in one',
      [
        edited(
          / {4}expect\(cart.total\(\)\).toBe\(200\);\n.*\n/,
          '    expect(cart).toMatchObject({ count: 2, total: 200 });\n',
        ),
      ],
    ],
    [
      'assertions in a helper',
      [
        changed(
          path,
          cart,
          helper +
            head +
            starts +
            sums.replace(/ {4}expect[^\n]*\n {4}expect[^\n]*\n/, '    expectCart(cart, 2, 200);\n') +
            refuses,
        ),
      ],
    ],
    ['cases folded into a table', [changed(path, cart, head + folded + refuses)]],
    [
      'a test split in two',
      [
        edited(
          '    expect(cart.items).toHaveLength(2);\n',
          "  });\n\n  it('counts its items', () => {\n    const cart = new Cart();\n    cart.add({ name: 'pear', price: 120 });\n    cart.add({ name: 'plum', price: 80 });\n    expect(cart.items).toHaveLength(2);\n",
        ),
      ],
    ],
    [
      'a new file with a conditional skip',
      [changed('b.test.ts', null, "it.skipIf(!hasDocker)('runs', () => expect(run()).toBe(0));")],
    ],
  ])('finds nothing in %s', (_, changes) => {
    expect(findTampering(changes)).toEqual([]);
  });
});
