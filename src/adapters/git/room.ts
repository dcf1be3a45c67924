import { GitError } from '../../contracts/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { runCommand } from '../../platform/process/run-command.ts';
import { gistOf, waysOutOf } from './broken.ts';
import type { Drivers } from './drivers.ts';
import type { Env } from './environment.ts';
import { freeStuck } from './free-stuck.ts';
import type { Repo } from './port.ts';
import { PRELUDE } from './scripts/prelude.ts';
import { refuseReplaced } from './worktrees/in-place.ts';

/** What every operation of this folder works on. */
export interface Room {
  readonly repo: Repo;
  /** Hardened; for all git commands of ours. */
  readonly env: Env;
  /** Programs of the person's settings that lead into the work tree: in `env`, others stand in their place. */
  readonly drivers: Drivers;
  /** Where the user's hooks are, absolute. */
  readonly hooksDir: string;
  /** The person's own ignore rules and attributes for all repositories: setting → file, be it there or not. */
  readonly personal: Readonly<Record<'core.excludesFile' | 'core.attributesFile', string>>;
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
  /** Git dir of our own that sees the work tree without the user's filters, attributes and index. */
  readonly shadow: string;
  /** Scratch folder for the lists that scripts hand one another. */
  readonly work: string;
  readonly objects: string;
  readonly clock: Clock;
  /** Where a linked work tree is, links resolved: nothing is done when it is there no more. Null: it is not held to a place. */
  readonly realRoot: string | null;
  readonly memory: Memory;
}

/**
 * What this process knows about the shadow git dir and does not read back from it: an agent may delete or change all
 * of it while it works.
 */
export interface Memory {
  /** Set once the shadow git dir is in order. */
  ready: Promise<void> | null;
  /** What decides how git reads the work tree there, as it was made. */
  control: string | null;
  /** Nested repositories; null until they were first read. */
  nested: Nested | null;
  /** Files that snapshots leave out; null until they were first read. */
  leftOut: readonly string[] | null;
  /** Tree of the last checkpoint. */
  tree: string | null;
  /** The commit that was prepared last, until it is applied. */
  prepared: Prepared | null;
  /** Which commits each story has, as of one commit; null until that was first asked for. */
  stories: StoryCommits | null;
}

/** Nothing is known yet. */
export function blankMemory(): Memory {
  return { ready: null, control: null, nested: null, leftOut: null, tree: null, prepared: null, stories: null };
}

/** What applying a commit needs, begun while its plan is being written down. */
export interface Prepared {
  readonly commit: string;
  readonly parent: string;
  /** Of the story trailers in its message; null where a hook may have changed them. */
  readonly stories: readonly string[] | null;
  /** The user's index as it will be: made from this copy, and there once that resolves to true. */
  readonly index: { readonly from: string; readonly made: Promise<boolean> } | null;
}

/** The commits of each story on the way to one commit. */
export interface StoryCommits {
  readonly head: string;
  readonly byStory: Map<string, StoryRange>;
}

/** Parent of a story's first commit, its last commit, and how many there are. */
export interface StoryRange {
  readonly base: string;
  readonly head: string;
  readonly commits: number;
}

/** Nested repositories (folders, relative) that snapshots leave out, and those of them that appeared since the checkpoint. */
export interface Nested {
  readonly known: readonly string[];
  readonly born: readonly string[];
}

export interface ScriptResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Scripts work on what is here. In a partial clone git fetches what is missing, by a command that the settings name:
 * an object that an agent named and did not make must not lead to that.
 */
export const OFFLINE: Env = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** For scripts that write out what a branch holds: a partial clone may fetch it, and a filter, too. */
export const ONLINE: Env = {};

/** Runs one of the fixed scripts (one process start for several git commands); any exit code is a result. */
export async function tryScript(
  room: Room,
  script: string,
  args: readonly string[],
  input?: Uint8Array,
  reach: Env = OFFLINE,
): Promise<ScriptResult> {
  await refuseReplaced(room);
  const all = ['-c', PRELUDE + script, 'ralph', room.shadow, room.objects, room.work, ...args];
  const env = { ...room.env, ...reach };
  const { root } = room.repo;
  const result = await freeStuck(root, runCommand('sh', all, { cwd: root, env, ...(input && { input }) }));
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr.toString('utf8') };
}

/** The same where anything but success is an error; `doing` completes "git could not …". */
export async function runScript(
  room: Room,
  doing: string,
  script: string,
  args: readonly string[] = [],
  input?: Uint8Array,
): Promise<Buffer> {
  const result = await tryScript(room, script, args, input);
  if (result.exitCode !== 0) throw gitError(room, doing, result);
  return result.stdout;
}

/** Runs one git command on the user's repository; any exit code is a result. */
export async function tryGit(room: Room, args: readonly string[], input?: Uint8Array): Promise<ScriptResult> {
  await refuseReplaced(room);
  const { root } = room.repo;
  const result = await freeStuck(root, runCommand('git', args, { cwd: root, env: room.env, ...(input && { input }) }));
  return { exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr.toString('utf8') };
}

export async function runGit(room: Room, doing: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const result = await tryGit(room, args, input);
  if (result.exitCode !== 0) throw gitError(room, doing, result);
  return result.stdout;
}

/** The same repository as one sees it from another of its work trees. */
export function roomAt(room: Room, { root, gitDir }: { readonly root: string; readonly gitDir: string }): Room {
  const stateDir = `${gitDir}/ralph`;
  return {
    ...room,
    repo: { ...room.repo, root, gitDir, stateDir },
    env: { ...room.env, GIT_DIR: gitDir, GIT_WORK_TREE: root },
    shadow: `${stateDir}/shadow`,
    work: `${stateDir}/work`,
    realRoot: null,
    memory: blankMemory(),
  };
}

export function gitError(room: Room, doing: string, result: ScriptResult): GitError {
  const said = gistOf(result.stderr);
  return new GitError({
    what: `git could not ${doing}`,
    where: room.repo.root,
    mend: waysOutOf(said, room.repo.gitDir),
    why:
      said ||
      (result.exitCode === null ? 'git was ended by a signal' : `git ended with ${result.exitCode} and said nothing`),
  });
}

/** Output of one line. */
export function line(bytes: Buffer): string {
  return bytes.toString('utf8').trimEnd();
}
