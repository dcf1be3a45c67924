import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { memoryIo } from '../../surfaces/terminal/io.fixture.ts';
import type { FlagSpec } from '../table/spec.ts';
import { commands } from '../table.ts';
import { runParsed } from './parsed-program.ts';
import { plainLine } from './plain-line.ts';

const read = vi.hoisted(() => ({ lines: [] as unknown[] }));
vi.mock('./run-command-of.ts', async (original) => ({
  ...(await original<object>()),
  runCommandOf: async (_: unknown, line: unknown) => {
    read.lines.push(line);
    return 0;
  },
}));

const specOf = (name: string) => {
  const spec = commands.find((one) => one.name === name);
  if (spec === undefined) throw new Error(`no command ${name}`);
  return spec;
};

const VALUES = ['3', 'US-001', 'a b', '', '-', '--', '-5', '--json', '-x', 'x=y', '--story=', '--help', '-n3'];

/** What may stand for a flag: alone, with a value behind it or joined to it. */
const flagWords = ({ flags }: FlagSpec): fc.Arbitrary<readonly string[]> => {
  const names = flags.split(/[ ,]+/).filter((word) => word.startsWith('-'));
  return fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...VALUES), fc.constantFrom('alone', 'apart', 'joined'))
    .map(([name, value, how]) => (how === 'alone' ? [name] : how === 'apart' ? [name, value] : [`${name}=${value}`]));
};

const lines = fc.constantFrom(...commands).chain((spec) => {
  const word = fc.constantFrom(...VALUES).map((value): readonly string[] => [value]);
  const parts = (spec.flags ?? []).length === 0 ? word : fc.oneof(word, ...(spec.flags ?? []).map(flagWords));
  return fc.array(parts, { maxLength: 5 }).map((words) => ({ name: spec.name, words: words.flat() }));
});

test('what is read without commander is what commander reads', async () => {
  let plain = 0;
  const property = fc.asyncProperty(lines, async ({ name, words }) => {
    const line = plainLine(specOf(name), words);
    if (line === null) return;
    plain += 1;
    read.lines.length = 0;
    await runParsed([...name.split(' '), ...words], memoryIo());
    expect(read.lines).toEqual([line]);
  });
  await fc.assert(property, { numRuns: 1_500, seed: 9 });
  expect(plain).toBeGreaterThan(150);
});

test('an everyday line needs no commander', () => {
  expect(plainLine(specOf('run'), ['20', '--dry-run', '--story', 'US-001', '-d', '/project'])).toEqual({
    args: ['20'],
    flags: { branch: true, commit: true, verify: true, dryRun: true, story: 'US-001', projectDir: '/project' },
  });
});

test.each([
  ['a flag that there is not', ['--dry-rum']],
  ['help', ['--help']],
  ['a value that may be left out', ['--dashboard', '20']],
  ['a value that is missing', ['--story']],
  ['a value that looks like a flag', ['--story', '--json']],
  ['a value for a switch', ['--json=yes']],
  ['more arguments than there may be', ['20', '30']],
  ['the end of the flags', ['--', '20']],
])('%s is left to commander', (_, words) => {
  expect(plainLine(specOf('run'), words)).toBeNull();
});
