import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { Fault, Part, TortureCase } from './case.ts';
import { mountSmallDisk, type SmallDisk, unmount } from './mounts.ts';
import { type Started, startProgram } from './program.ts';
import { backlogOf, hasPerson, MARK, stepsOf } from './scenario.ts';
import { type Ground, shapeOf } from './shapes.ts';

const run = promisify(execFile);

/** Files of the user that every case has; the last two are untracked and ignored. */
const USER_FILES = {
  'README.md': '# project\n',
  'docs/changed.md': 'base\n',
  'docs/staged.md': 'base\n',
  'far/away.txt': 'far\n',
  '.gitignore': 'ignored/\n',
  'check.sh': 'test ! -e src/broken.txt\n',
  'ralph.config.json': '{ "progress": { "keep": 50 } }\n',
};
const OTHER_FILES = { 'notes of mine.txt': 'not tracked\n', 'ignored/secret.env': 'KEY=value\n' };

/** A repository as a case wants it, and the folder beside it. */
export interface Place extends Ground {
  readonly base: string;
  readonly gitDir: string;
  readonly temp: string;
  readonly scenario: string;
  readonly disks: ReadonlyMap<Part, SmallDisk>;
  /** A small disk or a read-only folder stands in the way of `rm`: what unmounts it. */
  readonly undo: (() => Promise<void>)[];
  folderOf(part: Part): string;
  start(
    args: readonly string[],
    more?: { readonly env?: Readonly<Record<string, string>>; readonly limitMs?: number },
  ): Started;
  /** Does something when everything else that came this way is over. */
  alone(task: () => Promise<void>): Promise<void>;
  /** Seconds that the program's clock is off from now on. */
  setClock(seconds: number): Promise<void>;
  remove(): Promise<void>;
}

const LIMIT_MS = 180_000;

/** Makes the repository of a case; the caller removes it. */
export async function makePlace({ stories, shapes, faults }: TortureCase): Promise<Place> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'ralph-torture-')));
  const outside = join(base, 'outside');
  const temp = join(outside, 'tmp');
  const scenario = join(outside, 'scenario.yaml');
  const clockFile = join(outside, 'clock');
  const undo: (() => Promise<void>)[] = [];
  const disks = new Map<Part, SmallDisk>();
  const full = new Set(faults.flatMap((fault: Fault) => (fault.kind === 'full' ? [fault.part] : [])));
  const root = full.has('work tree') ? join(base, 'disk', 'repo') : join(base, 'repo');
  const folders: Readonly<Record<Part, string>> = {
    'work tree': root,
    'git dir': `${root}/.git`,
    'state folder': `${root}/.ralph`,
    'spec folder': `${root}/ralph`,
    'temp folder': temp,
  };
  // The disk of the work tree first: it would hide those of folders in it.
  for (const part of [...full].sort((a, b) => folders[a].length - folders[b].length)) {
    const at = part === 'work tree' ? dirname(root) : folders[part];
    disks.set(part, await mountSmallDisk(at));
    undo.unshift(() => unmount(at));
  }
  await mkdir(root, { recursive: true });
  await mkdir(temp, { recursive: true });
  let before: Promise<void> = Promise.resolve();
  const clock = faults.some(({ kind }) => kind === 'clock');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: outside,
    TMPDIR: temp,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    RALPH_ISOLATION_BACKEND: hasPerson(faults) ? 'bwrap' : 'none',
    RALPH_TRUST: '1',
    ...(clock ? { RALPH_TORTURE_CLOCK: clockFile } : {}),
  };
  const git: Place['git'] = async (...args) => {
    const { stdout } = await run('git', [...args], { cwd: root, env, maxBuffer: 100_000_000 });
    return stdout.trimEnd();
  };
  const write: Place['write'] = async (path, content) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'A User');
  await git('config', 'user.email', 'user@example.org');
  for (const [path, content] of Object.entries(USER_FILES)) await write(path, content);
  await write('ralph/tasks.json', `${JSON.stringify(backlogOf(stories), null, 2)}\n`);
  await write('ralph/prd.md', '# What is wanted\n\nWhatever the stories say.\n');
  await writeFile(scenario, stringify({ version: 1, steps: stepsOf(faults) }));
  await writeFile(join(outside, 'mark.sh'), MARK);
  await writeFile(join(outside, 'precious.txt'), 'outside of the project\n');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'start');
  await git('branch', 'other');
  await git('tag', 'v1');
  for (const [path, content] of Object.entries(OTHER_FILES)) await write(path, content);
  for (const shape of shapes) await shapeOf(shape).bring({ root, outside, git, write });
  return {
    base,
    root,
    outside,
    temp,
    scenario,
    gitDir: await git('rev-parse', '--absolute-git-dir'),
    disks,
    undo,
    git,
    write,
    folderOf: (part) => folders[part],
    start: (args, { env: more = {}, limitMs = LIMIT_MS } = {}) =>
      startProgram(args, { cwd: root, env: { ...env, ...more }, limitMs, clock }),
    alone(task) {
      const mine = before.then(task);
      before = mine.catch(() => {});
      return mine;
    },
    setClock: (seconds) => writeFile(clockFile, String(seconds)),
    async remove() {
      for (const each of undo.splice(0)) await each().catch(() => {});
      await chmod(root, 0o755).catch(() => {});
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
