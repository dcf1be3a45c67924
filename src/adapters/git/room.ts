import { GitError, GitRefusal } from '../../contracts/index.ts';
import {
  type Clock,
  orNull,
  type RawMode,
  realPath,
  remove,
  runCommand,
  runInShell,
  type ScriptResult,
  writeScratch,
} from '../../platform/index.ts';
import { gistOf, waysOutOf } from './broken.ts';
import type { Drivers, Env } from './environment.ts';
import type { Repo } from './port.ts';
import { PRELUDE } from './prelude.ts';

/** The entries of an index file as it was at one time. */
export interface IndexList {
  /** One character per byte, sorted as git sorts them. */
  readonly paths: readonly string[];
  /** The file's bytes, and where in them the entry of each path begins. */
  readonly bytes: Buffer;
  readonly at: readonly number[];
  /** Whole seconds at which the file was last written. */
  readonly written: number;
}

/** A path, one character per byte, and its mode. */
export type OddPath = readonly [path: string, mode: RawMode];

/** The context of every operation in this folder. */
export interface Room {
  readonly repo: Repo;
  /** Hardened; for all git commands that ralph runs. */
  readonly env: Env;
  /** Programs in the user's settings that lead into the work tree: `env` replaces them. */
  readonly drivers: Drivers;
  /** Where the user's hooks are, absolute. */
  readonly hooksDir: string;
  /** The user's own ignore rules and attributes for all repositories: setting → file, which may not exist. */
  readonly personal: Readonly<Record<'core.excludesFile' | 'core.attributesFile', string>>;
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
  /** Our own git dir that sees the work tree without the user's filters, attributes and index. */
  readonly shadow: string;
  /** Scratch folder for the lists that scripts pass to each other. */
  readonly work: string;
  readonly objects: string;
  readonly clock: Clock;
  /** Path of a linked work tree, links resolved: nothing is done when it has moved. Null: it may be anywhere. */
  readonly realRoot: string | null;
  readonly memory: Memory;
}

/**
 * What this process knows about the shadow git dir and does not read back from it: an agent may delete or change all of
 * it while it works.
 */
interface Memory {
  /** Set once the shadow git dir is in order. */
  ready: Promise<void> | null;
  /** What decides how git reads the work tree there, as this process wrote it. */
  control: string | null;
  /** Nested repositories; null until first read. */
  nested: Nested | null;
  /** Files that snapshots leave out; null until first read. */
  leftOut: readonly string[] | null;
  /** The last checkpoint: its tree, and what git ignored then, one character per byte. */
  last: { readonly tree: string; readonly ignored: readonly string[] } | null;
  /** The shadow index when modes were last looked at, and the files whose mode no checkout gives. */
  modes: { readonly index: IndexList; readonly odd: readonly OddPath[] } | null;
  /** The last rescue made. */
  rescued: { readonly tree: string; readonly ref: string; readonly commit: string } | null;
  /** The last prepared commit, until it is applied. */
  prepared: Prepared | null;
  /** The commits of each story, up to one commit; null until first requested. */
  stories: StoryCommits | null;
}

export function blankMemory(): Memory {
  return {
    ready: null,
    control: null,
    nested: null,
    leftOut: null,
    last: null,
    modes: null,
    rescued: null,
    prepared: null,
    stories: null,
  };
}

/** What applying a commit needs, begun while its plan is being written down. */
export interface Prepared {
  readonly commit: string;
  readonly parent: string;
  /** From the story trailers in its message; null where a hook may have changed them. */
  readonly stories: readonly string[] | null;
  /** The user's index with the commit applied: made from this copy, and ready once that resolves to true. */
  readonly index: { readonly from: string; readonly made: Promise<boolean> } | null;
}

/** The commits of each story up to one commit. */
export interface StoryCommits {
  readonly head: string;
  readonly byStory: Map<string, StoryRange>;
}

/** Parent of a story's first commit, its last commit, and their number. */
export interface StoryRange {
  readonly base: string;
  readonly head: string;
  readonly commits: number;
}

/** Nested repositories (folders, relative) that snapshots leave out, and those that appeared since the checkpoint. */
export interface Nested {
  readonly known: readonly string[];
  readonly born: readonly string[];
}

/**
 * Scripts work on local objects. In a partial clone git fetches missing ones, by a command that the settings name: an
 * object that an agent named and did not make must not cause that.
 */
export const OFFLINE: Env = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

/** For scripts that write the files of a branch: a partial clone may fetch them, and so may a filter. */
export const ONLINE: Env = {};

/** Runs one of the fixed scripts; any exit code is a result. */
export async function tryScript(
  room: Room,
  script: string,
  args: readonly string[],
  input?: Uint8Array,
  reach: Env = OFFLINE,
): Promise<ScriptResult> {
  const all = [room.shadow, room.objects, room.work, ...args];
  return run({ ...room, env: { ...room.env, ...reach } }, PRELUDE + script, all, input);
}

/** Like {@link tryScript}, but anything except success is an error; `doing` completes "git could not …". */
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
  return run(room, 'exec git "$@"', args, input);
}

/** Runs a script in the work tree; any exit code is a result. */
async function run(room: Room, script: string, args: readonly string[], input?: Uint8Array): Promise<ScriptResult> {
  await refuseReplaced(room);
  const { root } = room.repo;
  const given = input && `${room.work}/input-${Math.random().toString(36).slice(2)}`;
  if (given) await writeScratch(given, input);
  const result = await freeStuck(room.repo, runInShell(script, args, { cwd: root, env: room.env, input: given }));
  if (given) await remove(given);
  return result;
}

/** Like {@link tryGit}, but anything except success is an error; `doing` as for {@link runScript}. */
export async function runGit(room: Room, doing: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const result = await tryGit(room, args, input);
  if (result.exitCode !== 0) throw gitError(room, doing, result);
  return result.stdout;
}

/** The one line that a git command prints; null when it fails. */
export async function askGit(room: Room, args: readonly string[]): Promise<string | null> {
  const { exitCode, stdout } = await tryGit(room, args);
  return exitCode === 0 ? line(stdout) : null;
}

/** The same repository as seen from another of its work trees. */
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
    fix: waysOutOf(said, room.repo.gitDir),
    why:
      said ||
      (result.exitCode === null
        ? 'git was killed by a signal'
        : `git exited with code ${result.exitCode} and printed nothing`),
  });
}

/** Dates in UTC: the same input must give the same id on every machine. */
export function withDate(room: Room, date: number): Room {
  const stamp = `${Math.floor(date / 1000)} +0000`;
  return { ...room, env: { ...room.env, GIT_AUTHOR_DATE: stamp, GIT_COMMITTER_DATE: stamp } };
}

/** The id that stands for no object. */
export function zeroId({ objectFormat }: Room): string {
  return '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
}

export async function emptyTree(room: Room): Promise<string> {
  return line(await runGit(room, 'name the empty tree', ['hash-object', '-t', 'tree', '--stdin']));
}

/** Output of one line. */
export function line(bytes: Buffer): string {
  return bytes.toString('utf8').trimEnd();
}

/** Milliseconds after which git may be stuck. Not a limit: a large tree takes time. */
const LOOK_EVERY_MS = 5_000;
/** Milliseconds that one look may take. */
const LOOK_LIMIT_MS = 60_000;

/**
 * Opening for reading and writing does not block, and acts as a writer for a process that waits for one. Where git would
 * wait again, the FIFO goes too: git makes none.
 */
const FREE = `for f; do
  : <>"$f"
  case $f in */.gitignore | */.gitattributes | */.git/*) rm -f "$f" ;; esac
done`;
const FIND = ['-type', 'p', '-exec', 'sh', '-c', FREE, 'sh', '{}', '+'];

/**
 * Waits for git's work on a tree. Git opens ignore and attribute files, and those of a nested repository, without
 * checking their type: a FIFO that an agent put there would block it for ever, waiting for a writer. So when git takes
 * long, FIFOs get a writer that writes nothing: any of them, as the files of a nested repository may be links, or lie
 * elsewhere. A FIFO contains nothing that could be lost.
 */
export async function freeStuck<T>({ root, commonDir }: Repo, working: Promise<T>): Promise<T> {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    // Git reports any failure here; the next look tries again.
    await runCommand('find', ['.', commonDir, ...FIND], { cwd: root, timeoutMs: LOOK_LIMIT_MS }).catch(() => {});
    isLooking = false;
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  try {
    return await working;
  } finally {
    clearInterval(timer);
  }
}

/**
 * A linked work tree must still be where it was opened: an agent may have moved its folder away and replaced it with a
 * link to another work tree, or to none. Ralph does not follow such a link.
 * @throws GitRefusal
 */
export async function refuseReplaced({ realRoot }: { readonly realRoot: string | null }): Promise<void> {
  if (realRoot === null || (await orNull(realPath(realRoot))) === realRoot) return;
  throw replaced(realRoot);
}

/** The error for that. */
export function replaced(root: string): GitRefusal {
  return new GitRefusal({
    what: 'the folder of this work tree was moved or replaced',
    where: root,
    why: 'what is there now belongs to something else; ralph does not read or write it',
    fix: ['move it back to its place', 'for a stream: `ralph stream start` repairs it'],
  });
}
