import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { GitRefusal } from '../../contracts/index.ts';
import {
  alsoLeftOut,
  type Clock,
  exists,
  inWorkTreesOf,
  isThere,
  makeDir,
  move,
  orNull,
  readText,
  realPath,
  runCommand,
  SpawnFailed,
  stat,
  systemClock,
  writeAtomic,
} from '../../platform/index.ts';
import { brokenBranch, brokenRepository } from './broken.ts';
import { type Configured, type Env, hostEnv, neutralEnv, neutraliseDrivers } from './environment.ts';
import type { Git } from './port.ts';
import { sh } from './prelude.ts';
import { blankMemory, type Room, replaced } from './room.ts';

/**
 * Opens the repository that `dir` is in.
 * @throws GitRefusal without git 2.39 or later, without a work tree, or (unless `unborn`) without a first commit
 */
export async function openGit(dir: string, options: OpenOptions = {}): Promise<Git> {
  // The code that is needed after git's answer is loaded while git looks around.
  const [room, { operationsIn }] = await Promise.all([findRoom(dir, options), import('./operations.ts')]);
  return { repo: room.repo, identity: identityOf(room.env), ...operationsIn(room) };
}

function identityOf(env: Env): Record<string, string> {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}

/**
 * Prints one fact per line, then, after a NUL, settings that are paths as 'name\nvalue\0', an empty record, and all
 * settings as 'origin\0name\nvalue\0'. Four processes: this is part of every command's start.
 */
const LOOK_AROUND = sh`
git version
git rev-parse --path-format=absolute --show-toplevel --git-dir --git-common-dir --show-object-format || exit 3
git rev-parse -q --verify HEAD 2>/dev/null || echo
printf '\0'
# With --type=path a leading ~ is spelt out, which only paths may have.
git config -z --type=path --get-regexp '^core\.(excludesfile|attributesfile|hookspath)$' 2>/dev/null
printf '\0'
git config -z --list --show-origin 2>/dev/null
:
`;

interface OpenOptions {
  readonly env?: Env;
  readonly clock?: Clock;
  /** Accept a repository without a commit: enough to read and write its files, not to run in it. */
  readonly unborn?: boolean;
}

/** Examines the repository that `dir` is in. @throws GitRefusal as {@link openGit} says */
async function findRoom(dir: string, options: OpenOptions): Promise<Room> {
  const { env = process.env, clock = systemClock, unborn = false } = options;
  const own = neutralEnv(env);
  const { facts, settings, all, complaint } = await lookAround(dir, own);
  const [version = '', root = '', gitDir = '', commonDir = '', objectFormat = '', head = ''] = facts;
  refuseOldGit(version);
  if (root === '') throw await noWorkTree(dir, complaint);
  if (head === '' && !unborn) {
    const broken = await brokenBranch(gitDir, commonDir);
    if (broken !== null) throw broken;
    throw new GitRefusal({
      what: 'this repository has no commit yet',
      where: root,
      why: 'an iteration is rolled back to the commit before it',
      fix: ['git add -A && git commit -m "Start"', 'or, with no files yet: git commit --allow-empty -m "Start"'],
    });
  }
  const stateDir = `${gitDir}/ralph`;
  const identity = identityEnv(own, settings);
  const excludesFile = settings.get('core.excludesfile') || null;
  const hooksPath = settings.get('core.hookspath') ?? '';
  const real = await realPath(root);
  const drivers = neutraliseDrivers(all, {
    root: real,
    home: own['HOME'] ?? '',
    gitDirs: [gitDir, commonDir],
    inTree: inWorkTreesOf(real),
    isThere,
  });
  for (const key of drivers.left) alsoLeftOut(`git's ${key}`);
  return {
    repo: { root: real, gitDir, commonDir, stateDir },
    env: { ...hostEnv(env, { gitDir, root, excludesFile, instead: drivers.instead }), ...identity },
    drivers,
    hooksDir: hooksPath === '' ? `${commonDir}/hooks` : isAbsolute(hooksPath) ? hooksPath : resolve(root, hooksPath),
    personal: {
      'core.excludesFile': personalFile(own, settings.get('core.excludesfile'), root, 'ignore'),
      'core.attributesFile': personalFile(own, settings.get('core.attributesfile'), root, 'attributes'),
    },
    objectFormat: objectFormat || 'sha1',
    shadow: `${stateDir}/shadow`,
    work: `${stateDir}/work`,
    objects: `${commonDir}/objects`,
    clock,
    realRoot: gitDir === commonDir ? null : real,
    memory: blankMemory(),
  };
}

/** The user's file for all repositories: as configured, else where git looks for it in the home folder. */
function personalFile(env: Env, configured: string | undefined, root: string, name: string): string {
  if (configured) return resolve(root, configured);
  return `${env['XDG_CONFIG_HOME'] || `${env['HOME'] ?? ''}/.config`}/git/${name}`;
}

interface Surroundings {
  readonly facts: readonly string[];
  /** By name in lower case. */
  readonly settings: ReadonlyMap<string, string>;
  readonly all: readonly Configured[];
  readonly complaint: string;
}

async function lookAround(dir: string, env: Env): Promise<Surroundings> {
  try {
    const result = await runCommand('sh', ['-c', LOOK_AROUND], { cwd: dir, env: { ...env, LC_ALL: 'C' } });
    const [said = '', ...records] = result.stdout.toString('utf8').split('\0');
    const complaint = result.stderr.toString('utf8').trim();
    const facts = said.split('\n');
    if (facts[0] === '') throw noGit(complaint);
    // When a setting appears several times, the last one counts.
    const end = records.indexOf('');
    const all = pairs(records.slice(end + 1));
    const settings = new Map([
      ...all.filter(({ key }) => IDENTITY.test(key)).map(({ key, value }) => [key, value] as const),
      ...records.slice(0, end).map((record) => splitOnce(record, '\n')),
    ]);
    return { facts: result.exitCode === 0 ? facts : facts.slice(0, 1), settings, all, complaint };
  } catch (error) {
    if (error instanceof SpawnFailed) throw noGit(error.message);
    throw error;
  }
}

const IDENTITY = /^(author|committer|user)\.(name|email)$/;

function pairs(records: readonly string[]): readonly Configured[] {
  return records.flatMap((origin, at) => {
    if (at % 2 === 1 || at + 1 >= records.length) return [];
    const [key, value] = splitOnce(records[at + 1] ?? '', '\n');
    return [{ origin, key, value }];
  });
}

function splitOnce(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function noGit(where: string): GitRefusal {
  return new GitRefusal({
    what: 'git cannot be started',
    where,
    fix: ['install git 2.39 or later: https://git-scm.com/downloads'],
  });
}

function refuseOldGit(version: string): void {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 39)) return;
  throw new GitRefusal({
    what: `git 2.39 or later is needed, this is ${version}`,
    fix: ['install a later git: https://git-scm.com/downloads'],
  });
}

async function noWorkTree(dir: string, complaint: string): Promise<GitRefusal> {
  // Git's own message says how to fix it: safe.directory.
  if (complaint.includes('dubious ownership')) {
    return new GitRefusal({
      what: 'git does not trust this repository, because it belongs to someone else',
      where: dir,
      fix: [`git config --global --add safe.directory ${dir}`],
    });
  }
  const broken = await brokenRepository(dir, complaint);
  if (broken !== null) return broken;
  const clones = (await exists(`${dir}/ralph`))
    ? ['or, for a backlog of several repositories: ralph stream start']
    : [];
  return new GitRefusal({
    what: 'this folder is not in a git repository',
    where: dir,
    why: 'a failed iteration is rolled back with git, and a finished one becomes a commit',
    fix: ['git init && git add -A && git commit -m "Start"', 'or name the project: --project-dir PATH', ...clones],
  });
}

/** The user's identity as git itself would find it; ralph's when they have none. */
function identityEnv(env: Env, settings: ReadonlyMap<string, string>): Env {
  const own = (key: string, what: string) => env[key] || settings.get(what);
  const name = settings.get('user.name') || 'Ralph Loop';
  const email = settings.get('user.email') || 'ralph@localhost';
  return {
    GIT_AUTHOR_NAME: own('GIT_AUTHOR_NAME', 'author.name') || name,
    GIT_AUTHOR_EMAIL: own('GIT_AUTHOR_EMAIL', 'author.email') || email,
    GIT_COMMITTER_NAME: own('GIT_COMMITTER_NAME', 'committer.name') || name,
    GIT_COMMITTER_EMAIL: own('GIT_COMMITTER_EMAIL', 'committer.email') || email,
  };
}

/** A linked work tree as git recorded it. */
interface OwnTree {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Its own git dir, absolute. */
  readonly gitDir: string;
}

/**
 * Opens only this linked work tree: without its `.git` file git would find the repository above it, and a changed one
 * names another work tree. Such a file is rewritten; a repository in its place is moved into the state folder.
 * @throws GitRefusal when its folder is no longer a folder, or its git dir is gone
 */
export async function openOwnTree(tree: OwnTree, options: OpenOptions): Promise<Git> {
  const { root, gitDir } = tree;
  if ((await stat(root))?.kind !== 'dir' || (await orNull(realPath(root))) !== root) throw replaced(root);
  if (!(await exists(`${gitDir}/HEAD`))) throw noGitDir(tree);
  await linkBack(tree);
  const git = await openGit(root, options);
  if (git.repo.root !== root || git.repo.gitDir !== (await realPath(gitDir))) throw noGitDir(tree);
  return git;
}

/** The git dir that a work tree names; null without a `.git` file. */
export async function namedGitDir(root: string): Promise<string | null> {
  if ((await stat(`${root}/.git`))?.kind !== 'file') return null;
  const [, path] = /^gitdir: (.*?)\n?$/.exec((await readText(`${root}/.git`)) ?? '') ?? [];
  return path === undefined ? null : resolve(root, path);
}

/** Makes a folder the work tree of a git dir. */
export async function linkBack({ root, gitDir }: OwnTree): Promise<void> {
  const link = join(root, '.git');
  const named = await namedGitDir(root);
  if (named !== null && (await orNull(realPath(named))) === (await realPath(gitDir))) return;
  if ((await stat(link))?.kind === 'dir') {
    await makeDir(`${gitDir}/ralph`);
    await move(link, `${gitDir}/ralph/replaced-${Date.now()}.git`);
  }
  await writeAtomic(link, `gitdir: ${gitDir}\n`);
}

function noGitDir({ root, gitDir }: OwnTree): GitRefusal {
  return new GitRefusal({
    what: `the git dir of this work tree is damaged or gone: ${basename(dirname(gitDir))}/${basename(gitDir)}`,
    where: root,
    why: 'git would mistake the files for those of another work tree',
    fix: ['for a stream: `ralph stream start` recreates it from its branch, and keeps what is in the folder'],
  });
}
