/**
 * Measures the analysis of test tampering on real projects, so that anyone can repeat it on theirs.
 * Usage: npx tsx bench/tampering.ts --repo DIR      alarms over the git history of DIR (an honest history: all are false)
 *        npx tsx bench/tampering.ts --releases DIR  the same over DIR/<package>/<version>/, consecutive versions compared;
 *                                                   tests that a package stopped shipping are left out
 *        npx tsx bench/tampering.ts --mutate DIR    tampers with the tests below DIR and counts what is detected
 *                                                   (with MISSES=1: where it is not)
 * Without arguments: the history of this repository, and mutations of its tests.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { TamperFinding } from '../src/contracts/index.ts';
import { findTampering } from '../src/rules/test-results/index.ts';
import type { FileChange } from '../src/rules/test-results/tampering/change.ts';

const largestFile = 400_000;
const print = (text: string) => process.stdout.write(`${text}\n`);

function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(?:^|\/)(?:node_modules|\.git|dist|target)\//.test(path))
    .filter((path) => statSync(join(root, path)).size < largestFile)
    .sort();
}

interface Diff {
  readonly title: string;
  readonly changes: readonly FileChange[];
}

function historyOf(root: string): readonly Diff[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
  const textAt = (object: string) => {
    try {
      return git('show', object);
    } catch {
      return null;
    }
  };
  return git('log', '--no-merges', '--reverse', '--format=%H %s')
    .split('\n')
    .filter((line) => line !== '')
    .slice(1)
    .map((line) => {
      const [commit = ''] = line.split(' ');
      const paths = git('diff-tree', '--no-commit-id', '--name-only', '--no-renames', '-r', '-z', commit).split('\0');
      const changes = paths
        .filter((path) => path !== '')
        .map((path) => ({ path, before: textAt(`${commit}^:${path}`), after: textAt(`${commit}:${path}`) }));
      return { title: line.slice(0, 90), changes };
    });
}

/** Numbers compare as numbers. */
const byVersion = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

function releasesBelow(root: string): readonly Diff[] {
  return readdirSync(root).flatMap((name) => {
    const versions = readdirSync(join(root, name)).sort(byVersion);
    return versions.slice(1).map((version, at) => {
      const [before, after] = [join(root, name, versions[at] ?? ''), join(root, name, version)];
      const textAt = (folder: string, path: string) =>
        existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null;
      const shipped = filesBelow(after);
      const stopped = shipped.some(isTest) ? () => false : isTest;
      const paths = [...new Set([...filesBelow(before), ...shipped])].filter((path) => !stopped(path));
      const changes = paths.map((path) => ({ path, before: textAt(before, path), after: textAt(after, path) }));
      return { title: `${name} ${versions[at]} → ${version}`, changes };
    });
  });
}

const isTest = (path: string) => /(?:^|[/._-])(?:tests?|spec)(?=[/._-])/i.test(path);

const touchesTests = ({ changes }: Diff) => changes.some(({ path, before, after }) => before !== after && isTest(path));

function reportAlarms(diffs: readonly Diff[]): void {
  const counts = new Map<string, number>();
  let [high, low, slowest] = [0, 0, 0];
  for (const { title, changes } of diffs) {
    const start = performance.now();
    const findings = findTampering(changes);
    slowest = Math.max(slowest, performance.now() - start);
    if (findings.some(({ severity }) => severity === 'high')) high += 1;
    else if (findings.length > 0) low += 1;
    for (const { kind, severity } of findings) {
      const key = `${severity} ${kind}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    if (findings.length > 0) print(`\n${title}\n${findings.map(oneLine).join('\n')}`);
  }
  const per100 = (count: number) => ((100 * count) / Math.max(1, diffs.length)).toFixed(1);
  print(`\n${diffs.length} diffs, ${diffs.filter(touchesTests).length} of them with tests`);
  print(`per 100 diffs: ${per100(high)} with a high alarm, ${per100(low)} with low ones only`);
  for (const [key, count] of [...counts].sort()) print(`${key.padEnd(28)} ${count}`);
  print(`slowest diff: ${slowest.toFixed(0)} ms`);
}

const oneLine = ({ kind, severity, path, line, detail }: TamperFinding) =>
  `  ${severity.padEnd(4)} ${kind.padEnd(18)} ${path}:${line} ${detail}`;

/** One way to tamper: every version of the text it can make. */
interface Mutation {
  readonly name: string;
  readonly files: RegExp;
  readonly make: (text: string) => readonly string[];
}

const script = /\.[cm]?[jt]sx?$/;

/** Replaces each match alone. */
const each =
  (pattern: RegExp, replace: (match: RegExpMatchArray, text: string) => string) =>
  (text: string): readonly string[] =>
    [...text.matchAll(pattern)].map(
      (match) => text.slice(0, match.index) + replace(match, text) + text.slice(match.index + match[0].length),
    );

/** A case of JavaScript or Python as its layout shows it: its head to the line that closes it. */
const scriptCase = /^([ \t]*)(it|test)\((['"`][^\n]*\n(?:(?!\1\S)[^\n]*\n)*?)\1\}\);?\n/gm;
const pythonCase = /^([ \t]*)def (test_\w+)\(.*\n(?:(?:\1[ \t]+.*)?\n)+/gm;
const scriptAssertion = /^[ \t]*(?:expect|assert|t(?!\.(?:plan|end|comment|test|teardown)\b))(?:\.\w+)*\([^\n]*\);\n/gm;

const mutations: readonly Mutation[] = [
  { name: 'delete a test', files: script, make: each(scriptCase, () => '') },
  { name: 'delete a test', files: /\.py$/, make: each(pythonCase, () => '') },
  {
    name: 'comment a test out',
    files: script,
    make: each(scriptCase, ([text]) => text.replace(/^(?=.)/gm, '// ')),
  },
  {
    name: 'skip a test',
    files: script,
    make: each(/^([ \t]*)(it|test)\((?=['"`])/gm, ([, white, name]) => `${white}${name}.skip(`),
  },
  {
    name: 'skip a test',
    files: /\.py$/,
    make: each(/^([ \t]*)(?=def test_)/gm, ([white]) => `${white}@pytest.mark.skip(reason="flaky")\n${white}`),
  },
  { name: 'x before a test', files: script, make: each(/^([ \t]*)(it)\((?=['"`])/gm, ([, white]) => `${white}xit(`) },
  {
    name: 'select one test',
    files: script,
    make: each(/^([ \t]*)(it|test)\((?=['"`])/gm, ([, white, name]) => `${white}${name}.only(`),
  },
  { name: 'remove an assertion', files: script, make: each(scriptAssertion, () => '') },
  { name: 'remove an assertion', files: /\.py$/, make: each(/^[ \t]+(?:self\.)?assert[^\n]*[^\n(,\\]\n/gm, () => '') },
  {
    name: 'tautology',
    files: script,
    make: each(scriptAssertion, ([text]) => `${/^[ \t]*/.exec(text)?.[0]}expect(true).toBe(true);\n`),
  },
  {
    name: 'tautology',
    files: /\.py$/,
    make: each(/^([ \t]+)(?:self\.)?assert[^\n]*[^\n(,\\]\n/gm, ([, white]) => `${white}assert True\n`),
  },
  {
    name: 'weaken an assertion',
    files: script,
    make: each(
      /^([ \t]*expect\([^\n]*\))\.(?:toBe|toEqual)\([^\n]*\);\n/gm,
      ([, start]) => `${start}.toBeDefined();\n`,
    ),
  },
  {
    name: 'return early',
    files: script,
    make: each(/^([ \t]*)(?:it|test)\((['"`]).*=>\s*\{\n/gm, ([text, white]) => `${text}${white}  return;\n`),
  },
  {
    name: 'return early',
    files: /\.py$/,
    make: each(/^([ \t]*)def test_\w+\(.*\):\n/gm, ([text, white]) => `${text}${white}    return\n`),
  },
  {
    name: 'check ends in || true',
    files: /(?:^|\/)package\.json$/,
    make: each(/("(?:test|lint|types|posttest|pretest)": ")([^"]+)"/g, ([, key, value]) => `${key}${value} || true"`),
  },
  {
    name: 'check is an echo',
    files: /(?:^|\/)package\.json$/,
    make: each(/("(?:test|lint|types|posttest|pretest)": ")([^"]+)"/g, ([, key]) => `${key}echo ok"`),
  },
  {
    name: 'check removed',
    files: /(?:^|\/)package\.json$/,
    make: each(/\n\s*"(?:test|lint|types|posttest|pretest)": "[^"]+",(?=\n)/g, () => ''),
  },
];

/** So that one long file does not outweigh the others. */
const perFile = 4;

function reportDetection(root: string): void {
  const tallies = new Map<string, { made: number; high: number; low: number }>();
  const texts = filesBelow(root).map((path) => ({ path, before: readFileSync(join(root, path), 'utf8') }));
  for (const { name, files, make } of mutations) {
    for (const { path, before } of texts) {
      const isTest = /test|spec|package\.json$/i.test(path) && !/fixture/i.test(path);
      if (!isTest || !files.test(path)) continue;
      const all = make(before);
      const step = Math.max(1, Math.ceil(all.length / perFile));
      for (const after of all.filter((_, at) => at % step === 0)) {
        const findings = findTampering([{ path, before, after }]);
        const tally = tallies.get(name) ?? { made: 0, high: 0, low: 0 };
        tally.made += 1;
        if (findings.some(({ severity }) => severity === 'high')) tally.high += 1;
        else if (findings.length > 0) tally.low += 1;
        else if (process.env['MISSES'] !== undefined)
          print(`missed: ${name} in ${path}:${firstDifference(before, after)}`);
        tallies.set(name, tally);
      }
    }
  }
  print('\nmutation                 made   high    low missed');
  for (const [name, { made, high, low }] of tallies) {
    print([name.padEnd(22), ...[made, high, low, made - high - low].map((n) => String(n).padStart(6))].join(' '));
  }
  const sum = (of: 'made' | 'high' | 'low') => [...tallies.values()].reduce((total, tally) => total + tally[of], 0);
  print(
    `${sum('made')} mutations, ${((100 * (sum('high') + sum('low'))) / Math.max(1, sum('made'))).toFixed(1)} % detected`,
  );
}

function firstDifference(before: string, after: string): number {
  const lines = after.split('\n');
  return before.split('\n').findIndex((line, at) => line !== lines[at]) + 1;
}

const [option, folder = process.cwd()] = process.argv.slice(2);
if (option === '--releases') reportAlarms(releasesBelow(folder));
if (option === '--repo' || option === undefined) reportAlarms(historyOf(folder));
if (option === '--mutate' || option === undefined) reportDetection(folder);
