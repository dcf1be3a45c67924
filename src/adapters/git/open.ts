import { isAbsolute, resolve } from 'node:path';
import { GitRefusal } from '../../contracts/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { realPath } from '../../platform/files.ts';
import { runCommand, SpawnFailed } from '../../platform/run-command.ts';
import { keepAgentCommits } from './agent-commits.ts';
import { currentBranch, defaultBranch, switchTo } from './branches.ts';
import { diffTrees, readAfter, readTree, restoreTree, takeCheckpoint } from './checkpoint.ts';
import { applyCommit, prepareCommit } from './commit.ts';
import { commitView } from './commit-view.ts';
import { dirty, refuseUncheckable, stash } from './dirty.ts';
import { type Env, hostEnv, neutralEnv } from './environment.ts';
import { adoptGuest } from './guest/adopt.ts';
import { openGuest } from './guest/open.ts';
import { removeGuest } from './guest/remove.ts';
import { keepMovedRefs } from './moved-refs.ts';
import type { Git } from './port.ts';
import { diffStat, show, storyRange } from './read.ts';
import { refuseOperationsUnderWay } from './refusals.ts';
import { keepTree, listRescues, pruneRescues, restoreRescue, showRescue } from './rescue.ts';
import { rollback } from './rollback.ts';
import { type Room, tryGit } from './room.ts';
import { sh } from './scripts/sh.ts';
import { restoreTrust, snapshotTrust } from './trust.ts';

/**
 * Prints one fact a line, then, after a NUL, settings as 'name\nvalue\0'. Four processes: this is part of every command's start.
 */
const LOOK_AROUND = sh`
git version
git rev-parse --path-format=absolute --show-toplevel --git-dir --git-common-dir --show-object-format || exit 3
git rev-parse -q --verify HEAD 2>/dev/null || echo
printf '\0'
# With --type=path a leading ~ is spelt out, which only paths may have.
git config -z --type=path --get-regexp '^core\.(excludesfile|attributesfile|hookspath)$' 2>/dev/null
git config -z --get-regexp '^(author|committer|user)\.(name|email)$' 2>/dev/null
:
`;

export interface OpenOptions {
  readonly env?: Env;
  readonly clock?: Clock;
  /** Accept a repository without a commit: enough to read and write its files, not to run in it. */
  readonly unborn?: boolean;
}

/**
 * Opens the repository that `dir` is in.
 * @throws GitRefusal without git 2.39 or later, without a work tree, or (unless `unborn`) without a first commit
 */
export async function openGit(dir: string, options: OpenOptions = {}): Promise<Git> {
  const room = await findRoom(dir, options);
  return {
    repo: room.repo,
    identity: identityOf(room.env),
    refuseOperationsUnderWay: () => refuseOperationsUnderWay(room.repo),
    refuseUncheckable: () => refuseUncheckable(room),
    dirty: (exempt) => dirty(room, exempt),
    stash: (message, exempt) => stash(room, message, exempt),
    currentBranch: () => currentBranch(room),
    defaultBranch: () => defaultBranch(room),
    switchTo: (name) => switchTo(room, name),
    checkpoint: (label) => takeCheckpoint(room, label),
    after: (checkpoint) => readAfter(room, checkpoint),
    tree: () => readTree(room),
    restoreTree: (tree) => restoreTree(room, tree),
    changes: async (from, to) => (await diffTrees(room, from, to)).map(({ path, status }) => ({ path, status })),
    descends: async (commit, ancestor) =>
      (await tryGit(room, ['merge-base', '--is-ancestor', ancestor, commit])).exitCode === 0,
    show: (treeish, path) => show(room, treeish, path),
    diffStat: (from, to, maxLines) => diffStat(room, from, to, maxLines),
    commitView: (id) => commitView(room, id),
    rescue: (input) => keepTree(room, input),
    rollback: (checkpoint) => rollback(room, checkpoint),
    prepareCommit: (request) => prepareCommit(room, request),
    applyCommit: (input) => applyCommit(room, input),
    keepAgentCommits: (input) => keepAgentCommits(room, input),
    keepMovedRefs: (input) => keepMovedRefs(room, input),
    // Its exit code tells about real changes, which are none of its business here.
    refreshIndex: async () => void (await tryGit(room, ['update-index', '-q', '--refresh'])),
    storyRange: (storyId) => storyRange(room, storyId),
    rescues: () => listRescues(room),
    showRescue: (name) => showRescue(room, name),
    restoreRescue: (name, choice) => restoreRescue(room, name, choice),
    pruneRescues: (olderThanMs, dryRun) => pruneRescues(room, olderThanMs, dryRun),
    openGuest: (name) => openGuest(room, name),
    adoptGuest: (input) => adoptGuest(room, input),
    removeGuest: (name) => removeGuest(room, name),
    snapshotTrust: () => snapshotTrust(room),
    restoreTrust: (snapshot) => restoreTrust(room, snapshot),
  };
}

async function findRoom(dir: string, options: OpenOptions): Promise<Room> {
  const { env = process.env, clock = systemClock, unborn = false } = options;
  const own = neutralEnv(env);
  const { facts, settings, complaint } = await lookAround(dir, own);
  const [version = '', root = '', gitDir = '', commonDir = '', objectFormat = '', head = ''] = facts;
  refuseOldGit(version);
  if (root === '') throw noWorkTree(dir, complaint);
  if (head === '' && !unborn) {
    throw new GitRefusal({
      what: 'this repository has no commit yet',
      where: root,
      why: 'an iteration is rolled back to the commit before it',
      mend: ['git add -A && git commit -m "Start"', 'or, with no files yet: git commit --allow-empty -m "Start"'],
    });
  }
  const stateDir = `${gitDir}/ralph`;
  const identity = identityEnv(own, settings);
  const excludesFile = settings.get('core.excludesfile') || null;
  const hooksPath = settings.get('core.hookspath') ?? '';
  return {
    repo: { root: await realPath(root), gitDir, commonDir, stateDir },
    env: { ...hostEnv(env, { gitDir, root, excludesFile }), ...identity },
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
    memory: { ready: null, control: null, nested: null, tree: null },
  };
}

/** A file for all repositories: as configured, else where git looks for it in the home folder. */
function personalFile(env: Env, configured: string | undefined, root: string, name: string): string {
  if (configured) return resolve(root, configured);
  return `${env['XDG_CONFIG_HOME'] || `${env['HOME'] ?? ''}/.config`}/git/${name}`;
}

interface Surroundings {
  readonly facts: readonly string[];
  /** By name in lower case. */
  readonly settings: ReadonlyMap<string, string>;
  readonly complaint: string;
}

async function lookAround(dir: string, env: Env): Promise<Surroundings> {
  try {
    const result = await runCommand('sh', ['-c', LOOK_AROUND], { cwd: dir, env: { ...env, LC_ALL: 'C' } });
    const [said = '', ...records] = result.stdout.toString('utf8').split('\0');
    const complaint = result.stderr.toString('utf8').trim();
    const facts = said.split('\n');
    if (facts[0] === '') throw noGit(complaint);
    // A setting that is there several times: the last one counts.
    const settings = new Map(records.map((record) => splitOnce(record, '\n')));
    return { facts: result.exitCode === 0 ? facts : facts.slice(0, 1), settings, complaint };
  } catch (error) {
    if (error instanceof SpawnFailed) throw noGit(error.message);
    throw error;
  }
}

function splitOnce(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function noGit(where: string): GitRefusal {
  return new GitRefusal({
    what: 'git cannot be started',
    where,
    mend: ['install git 2.39 or later: https://git-scm.com/downloads'],
  });
}

function refuseOldGit(version: string): void {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 39)) return;
  throw new GitRefusal({
    what: `git 2.39 or later is needed, this is ${version}`,
    mend: ['install a later git: https://git-scm.com/downloads'],
  });
}

function noWorkTree(dir: string, complaint: string): GitRefusal {
  // Says itself how to mend it: safe.directory.
  if (complaint.includes('dubious ownership')) {
    return new GitRefusal({
      what: 'git does not trust this repository, because it belongs to someone else',
      where: dir,
      mend: [`git config --global --add safe.directory ${dir}`],
    });
  }
  return new GitRefusal({
    what: 'this folder is in no git work tree',
    where: dir,
    why: 'a failed iteration is rolled back with git, and a finished one becomes a commit',
    mend: ['git init && git add -A && git commit -m "Start"', 'or name the project: --project-dir PATH'],
  });
}

function identityOf(env: Env): Record<string, string> {
  const names = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}

/** The user's identity as git itself would find it; ours where they have none. */
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
