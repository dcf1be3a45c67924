import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project } from '../support/project.ts';

/**
 * Speed by counts, which are the same on a busy machine: a change that makes an iteration or a start dearer grows one
 * of them. To raise a ceiling is a decision: say in the commit what it buys. Whoever makes one smaller lowers it.
 */
const CEILINGS = {
  // An iteration: half of them implement, half review. Bytes are those of the loop and all its children.
  'git processes and shells per iteration': 12,
  // Lists for scripts go by files: a shell that is kept has no end of input.
  'files opened to write per iteration': 24,
  'renames per iteration': 13,
  'fsyncs per iteration': 15,
  // Of them one for each file of the project, which has few.
  'looks at files per iteration': 272,
  // 194 of them are zod, which the scripted agent loads with what it shares with a run.
  'KB read per iteration': 850,
  'KB written per iteration': 59,
  // With 300 KB of reviews of other stories: into their own file, and on the way to git. Records do not repeat them.
  'KB written per iteration, after many reviews': 600,
  'events per iteration': 15,
  // What is held after it: its ledger line, and what is known of its story, its review as read included. In a run of a
  // night nothing else may stay.
  'objects retained per iteration': 9,
  // What is allocated, most of it at once garbage: beyond an iteration of a new project, for 2,000 iterations and 500
  // stories before it. Their reviews and log (1 MB) are made anew, as texts; nothing else may be.
  'MB allocated per iteration, for a long past': 0.7,
  // Of the process: what it holds after a collection, and the space for young objects, which V8 would let grow to 32 MB.
  'MB of JavaScript held': 23.5,
  'MB for young objects': 2.2,
  // What bwrap starts inside, and the bridge; each agent and check waits for them.
  'processes inside bwrap before a command': 2,
  // A start: files of dist/ that Node loads, and their size.
  'files loaded by a dry run': 13,
  'KB loaded by a dry run': 1_440,
} as const;

const COUNTING = new URL('../support/counting.mjs', import.meta.url).href;
const RETAINING = new URL('../support/retaining.mjs', import.meta.url).href;
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

type Counts = Readonly<Record<string, number>>;

async function projectOf(stories: number, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const ids = Array.from({ length: stories }, (_, index) => `US-${String(index + 1).padStart(3, '0')}`);
  const project = await makeProject({
    stories: ids.map((id) => ({ id })),
    steps: ids.flatMap((id) => easySteps(id)),
    files,
  });
  projects.push(project);
  return project;
}

/** A folder for PATH with programs that note their start and become the real ones. */
async function notingPrograms(project: Project, names: readonly string[], notes: string): Promise<string> {
  const folder = join(project.outside, 'noting');
  await mkdir(folder);
  for (const name of names) {
    const file = join(folder, name);
    const real = (process.env['PATH'] ?? '').split(delimiter);
    const candidates = await Promise.all(
      real.map((at) =>
        stat(join(at, name)).then(
          () => join(at, name),
          () => null,
        ),
      ),
    );
    const found = candidates.find((path) => path !== null);
    if (found === undefined) throw new Error(`there is no ${name} on the PATH`);
    await writeFile(file, `#!/bin/sh\necho ${name} >>'${notes}'\nexec '${found}' "$@"\n`);
    await chmod(file, 0o755);
  }
  return folder;
}

/** What a whole run of some stories does, implemented and reviewed one after the other. */
async function countsOfRun(stories: number, files?: Readonly<Record<string, string>>): Promise<Counts> {
  const project = await projectOf(stories, files);
  const notes = join(project.outside, 'notes');
  const countsFile = join(project.outside, 'counts.json');
  const shims = await notingPrograms(project, ['git', 'sh'], notes);
  const { code, stdout, stderr } = await project.run(['--json'], {
    PATH: `${shims}${delimiter}${process.env['PATH']}`,
    NODE_OPTIONS: `--import=${COUNTING}`,
    COUNTS_FILE: countsFile,
    COUNTS_OF: 'bin/ralph.js',
  });
  expect(code, stderr).toBe(0);
  const started = (await readFile(notes, 'utf8')).trim().split('\n');
  const { opened, renamed, synced, looked, read, written } = JSON.parse(await readFile(countsFile, 'utf8'));
  return {
    'git processes and shells': started.length,
    'files opened to write': opened,
    renames: renamed,
    fsyncs: synced,
    'looks at files': looked,
    'KB read': read / 1000,
    'KB written': written / 1000,
    events: stdout.trim().split('\n').length,
  };
}

async function countsOfIteration(files?: Readonly<Record<string, string>>): Promise<Counts> {
  // What a run does once, at its start and end, is the same in both.
  const [few, more] = [await countsOfRun(2, files), await countsOfRun(5, files)];
  const iterations = (5 - 2) * 2;
  return Object.fromEntries(
    Object.entries(more).map(([name, count]) => [`${name} per iteration`, (count - (few[name] ?? 0)) / iterations]),
  );
}

/** Files of dist/ that a command loads, and their size. */
async function loadedBy(name: string, args: readonly string[]): Promise<Counts> {
  const project = await projectOf(1);
  const folder = join(project.outside, 'coverage');
  await mkdir(folder);
  expect((await project.ralph(args, { NODE_V8_COVERAGE: folder })).code).toBe(0);
  const reports = await Promise.all(
    (await readdir(folder)).map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8'))),
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }: { readonly url: string }) => url));
  const own = [...new Set<string>(urls)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  const files = own.filter((path) => path.startsWith(DIST));
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size));
  return {
    [`files loaded by ${name}`]: files.length,
    [`KB loaded by ${name}`]: sizes.reduce((sum, size) => sum + size, 0) / 1000,
  };
}

/** Bytes that a run allocates per iteration, once it is under way. */
async function allocatedPerIteration(files: Readonly<Record<string, string>>): Promise<number> {
  const [from, to] = [10, 30];
  const project = await projectOf(to / 2, files);
  const file = join(project.outside, 'retained.json');
  const { code, stderr } = await project.run(['--json', String(to)], {
    NODE_OPTIONS: `--import=${RETAINING}`,
    COUNTS_FILE: file,
    COUNTS_OF: 'bin/ralph.js',
    RETAINED_AT: `${from},${to}`,
  });
  expect(code, stderr).toBe(0);
  const held = JSON.parse(await readFile(file, 'utf8'));
  return held[1].allocated / (to - from);
}

function expectBelow(counts: Counts): void {
  if (process.env['SHOW_COUNTS'] !== undefined) console.log(counts);
  const grown = Object.entries(counts)
    .filter(([name, count]) => !(count > 0 && count <= CEILINGS[name as keyof typeof CEILINGS]))
    .map(([name, count]) => `${name}: ${count.toFixed(1)}, ceiling ${CEILINGS[name as keyof typeof CEILINGS]}`);
  expect(grown, 'a count has grown (or is 0: nothing was counted); CEILINGS in this file says what to do').toEqual([]);
}

it('an iteration starts no more processes, and touches no more files and bytes, than it has to', async () => {
  // A run that takes longer looks more often whether a person has written: the least of three counts is the loop's own.
  // And one that compiles its parts leaves them for the next.
  await countsOfRun(1);
  const all = [await countsOfIteration(), await countsOfIteration(), await countsOfIteration()];
  const names = Object.keys(all[0] ?? {});
  expectBelow(Object.fromEntries(names.map((name) => [name, Math.min(...all.map((one) => one[name] ?? 0))])));
});

it('what is known of other stories is not written again into the records of an iteration', async () => {
  const old = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`OLD-${at}`, { notes: 'n'.repeat(1000) }]));
  const files = { 'ralph/reviews.json': JSON.stringify({ version: 1, stories: old }) };
  const counts = await countsOfIteration(files);
  const written = counts['KB written per iteration'] ?? 0;
  expectBelow({ 'KB written per iteration, after many reviews': written });
});

it('an iteration leaves nothing in memory but what later ones need', async () => {
  // By then the buffers of a fixed size are full.
  const [from, to] = [50, 80];
  const project = await projectOf(to / 2);
  const file = join(project.outside, 'retained.json');
  const { code, stderr } = await project.run([String(to)], {
    NODE_OPTIONS: `--import=${RETAINING}`,
    COUNTS_FILE: file,
    COUNTS_OF: 'bin/ralph.js',
    RETAINED_AT: `${from},${to}`,
  });
  expect(code, stderr).toBe(0);
  const [before, after] = JSON.parse(await readFile(file, 'utf8'));
  expectBelow({
    'objects retained per iteration': (after.objects - before.objects) / (to - from),
    'MB of JavaScript held': after.bytes / 1e6,
    'MB for young objects': after.young / 1e6,
  });
});

it.skipIf(await needs('bwrap'))('a command inside bwrap waits for no more processes than it has to', async () => {
  const project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: easySteps('US-001'),
    verifyCommands: ['echo "pid $$"'],
  });
  projects.push(project);
  const { code, stdout, stderr } = await project.run(['--json', '--sandbox=bwrap']);
  expect(code, stderr).toBe(0);
  expectBelow({ 'processes inside bwrap before a command': Number(/"tail":"pid (\d+)/.exec(stdout)?.[1]) - 1 });
});

it('an iteration allocates no more for all that came before it', async () => {
  const stories = Array.from({ length: 500 }, (_, at) => `OLD-${at}`);
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const empty = { error: null, blocked: null, model: null, commit: null, subject: null, rescue: null, failure: null };
  const accepted = {
    mode: 'implement',
    verdict: 'accepted',
    counts: 'good',
    stateChanged: true,
    state: 'needs_review',
  };
  const spent = { durationMs: 1, costUsd: 0.01, usage, agent: 'scripted', workFiles: 0, checks: [], violations: [] };
  const line = (iteration: number) => ({
    ...{ version: 1, kind: 'iteration', run: 'old', iteration, story: stories[iteration % 500], reason: 'r' },
    ...{ startedAt: 1e12 + iteration, ...empty, ...accepted, ...spent },
  });
  const lines = Array.from({ length: 2_000 }, (_, at) => line(at));
  const log = lines.map(({ story, iteration }) => {
    const date = new Date(1e12 + iteration).toISOString();
    return `[${date}] #${iteration} SUCCESS | accepted | implement | ${story} | 1s | $0.01 | ${'w'.repeat(60)}`;
  });
  const receipt = { approvedAt: '', by: 'review', reviews: 1, attempts: 0, note: 'n'.repeat(1_000) };
  const reviews = { version: 1, stories: Object.fromEntries(stories.map((id) => [id, { receipt }])) };
  const past = {
    'ralph/reviews.json': `${JSON.stringify(reviews, null, 2)}\n`,
    'ralph/progress.txt': `# Progress\n\n---\n${log.join('\n')}\n`,
    '.git/ralph/ledger.jsonl': lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
  };
  const [before, after] = [await allocatedPerIteration({}), await allocatedPerIteration(past)];
  expectBelow({ 'MB allocated per iteration, for a long past': (after - before) / 1e6 });
});

it('a start loads no more JavaScript than it has to', async () => {
  expectBelow(await loadedBy('a dry run', ['run', '--dry-run']));
});

it('a run loads all its parts in the compiled form that an earlier one left, beside the thread of a plugin too', async () => {
  const plugin = { 'ralph.config.json': '{ "plugins": ["./plugin.mjs"] }', 'plugin.mjs': 'export default {};\n' };
  const runs = [await projectOf(1, plugin), await projectOf(1, plugin), await projectOf(1)];
  const compiled: number[] = [];
  for (const run of runs) {
    const COUNTS_FILE = join(run.outside, 'counts.json');
    const counting = { NODE_OPTIONS: `--import=${COUNTING}`, COUNTS_FILE, COUNTS_OF: 'bin/ralph.js' };
    expect((await run.run(['--json'], counting)).code).toBe(0);
    compiled.push(JSON.parse(await readFile(COUNTS_FILE, 'utf8')).compiled);
  }
  expect(compiled.slice(1)).toEqual([0, 0]);
});
