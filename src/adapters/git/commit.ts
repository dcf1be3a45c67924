import {
  exists,
  readText,
  remove,
  type ScriptResult,
  stat,
  withoutSecrets,
  writeAtomic,
  writeScratch,
} from '../../platform/index.ts';
import { prepareIndex } from './apply.ts';
import { readTree } from './checkpoint.ts';
import { type HookFailure, type HookSetting, runInGuest } from './guest/hook-run.ts';
import { storiesNamed } from './history.ts';
import { GITLINK, joinNul, type RawChange } from './lists.ts';
import { blobsIn, diffTrees, isBlob } from './objects.ts';
import type { CommitOutcome, CommitRequest } from './port.ts';
import { sh } from './prelude.ts';
import { secretsInCommit } from './read.ts';
import { gitError, line, type Room, runScript, tryScript, withDate } from './room.ts';

/** The index is a scratch one; only the objects remain. */
export async function prepareCommit(room: Room, request: CommitRequest): Promise<CommitOutcome> {
  const parent = request.parent ?? request.checkpoint.head;
  const dated = withDate(room, request.date);
  const message = messageOf(request);
  const hooks = request.hooks ? await presentHooks(room) : [];
  if (hooks.length === 0) {
    const made = await build(dated, request, parent, BUILD_INDEX + MAKE_COMMIT, message);
    return 'kind' in made ? made : prepared(room, request, made, parent, storiesNamed(request.trailers));
  }

  const built = await build(dated, request, parent, BUILD_INDEX, message);
  if ('kind' in built) return built;
  const said = await runHooks(room, request, hooks, message);
  if (typeof said !== 'string') return { kind: 'hook-failed', ...said };
  const sign = request.sign ? '-S' : '';
  const result = await runScript(dated, 'make the commit', MAKE_COMMIT, [
    parent,
    '',
    '',
    asArgument(withoutSecrets(said)),
    sign,
  ]);
  // A hook may have changed the message as well.
  return prepared(room, request, await madeOf(room, parent, result), parent, null);
}

/** Builds the index (and possibly the commit); again, with more information, where the plain list of paths fails. */
async function build(
  room: Room,
  request: CommitRequest,
  parent: string,
  script: string,
  message: string,
): Promise<MadeCommit | Unconverted> {
  const deleted = Object.keys(request.files).filter((path) => request.files[path] === null);
  const first = await attempt(room, request, parent, deleted, script, message);
  const made = first.exitCode === 0 ? await madeOf(room, parent, first.stdout) : null;
  const links = newLinks(made?.raw ?? []);
  if (made !== null && links.length === 0) return made;
  const unconverted = unconvertedIn(first);
  if (unconverted !== null) return unconverted;
  if (first.exitCode !== 0 && first.exitCode !== DISPLACED) throw gitError(room, 'build the commit', first);

  const gone = (await diffTrees(room, request.checkpoint.tree, await readTree(room))).filter(
    ({ status }) => status === 'deleted',
  );
  const second = await attempt(
    room,
    request,
    parent,
    [...deleted, ...links, ...gone.map(({ path }) => path), ...(await turnedIntoFolders(room, request.paths))],
    script,
    message,
  );
  if (second.exitCode !== 0) throw gitError(room, 'build the commit', second);
  return madeOf(room, parent, second.stdout);
}

type Unconverted = Extract<CommitOutcome, { kind: 'hook-failed' }>;

/** What git says where a `working-tree-encoding`, which an agent may have written, does not fit a file (convert.c). */
const UNCONVERTED =
  /^(?:fatal|error): (?:BOM is (?:required|prohibited) in |failed to encode |encoding .* is not the same|.*no valid working-tree-encoding)/m;

function unconvertedIn({ exitCode, stderr }: ScriptResult): Unconverted | null {
  const isSaid = exitCode !== 0 && UNCONVERTED.test(stderr);
  return isSaid ? { kind: 'hook-failed', hook: null, output: stderr } : null;
}

/** The agent's files or links that are folders by now: the loop's own state folder is recreated by itself. */
async function turnedIntoFolders({ repo: { root } }: Room, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const isFolder = (await stat(`${root}/${path}`))?.kind === 'dir';
      // A folder with a repository in it is a submodule: its link may be committed.
      return isFolder && !(await exists(`${root}/${path}/.git`)) ? [path] : [];
    }),
  );
  return found.flat();
}

async function attempt(
  room: Room,
  request: CommitRequest,
  parent: string,
  gone: readonly string[],
  script: string,
  message: string,
): Promise<ScriptResult> {
  const written = Object.entries(request.files).filter((entry): entry is [string, string] => entry[1] !== null);
  if (written.length > 0) {
    await remove(`${room.work}/files`);
    await Promise.all(written.map(([path, text]) => writeScratch(`${room.work}/files/${path}`, text)));
  }
  const removals = gone.filter((path) => request.paths.includes(path) || path in request.files);
  if (removals.length > 0) await writeScratch(`${room.work}/gone`, joinNul(removals));
  const without = new Set([...removals, ...Object.keys(request.files)]);
  const paths = joinNul(request.paths.filter((path) => !without.has(path)));
  const kinds = [removals.length > 0 ? 'gone' : '', paths.length > 0 ? '' : 'none'];
  const own = written.map(([path]) => path);
  return tryScript(room, script, [parent, ...kinds, asArgument(message), request.sign ? '-S' : '', ...own], paths);
}

/** A hook may have put anything into a message. */
function asArgument(message: string): string {
  return message.replaceAll('\0', '').replace(/\n$/, '');
}

interface MadeCommit {
  readonly commit: string;
  readonly raw: readonly RawChange[];
}

/** @param output the commit's name; nothing while only its index was built */
async function madeOf(room: Room, parent: string, output: Buffer): Promise<MadeCommit> {
  const commit = line(output);
  return { commit, raw: commit === '' ? [] : await diffTrees(room, parent, commit) };
}

/** Nested repositories that replaced a file are never committed. */
function newLinks(raw: readonly RawChange[]): string[] {
  return raw.filter(({ newMode, status }) => newMode === GITLINK && status !== 'modified').map(({ path }) => path);
}

async function prepared(
  room: Room,
  { checkpoint, paths, files: own, mayHoldSecrets }: CommitRequest,
  { commit, raw }: MadeCommit,
  parent: string,
  stories: readonly string[] | null,
): Promise<CommitOutcome> {
  // Then the commit is an object that nothing refers to: git removes it eventually.
  if (raw.length === 0) return { kind: 'empty' };
  const holds = await heldBy(room, commit, own);
  // The loop's own files contain what a person wrote, or went through `withoutSecrets`.
  const others = raw.filter(({ path }) => !holds.includes(path));
  const files = paths.length > 0 && !mayHoldSecrets ? await secretsInCommit(room, parent, others) : [];
  if (files.length > 0) return { kind: 'holds-secrets', files };
  // The index that the next commit begins with: see BUILD_INDEX.
  await writeScratch(`${room.work}/commit.holds`, `${commit}\n`);
  const index = prepareIndex(room, checkpoint, parent, raw);
  room.memory.prepared = { commit, parent, stories, index };
  return { kind: 'prepared', commit, parent, files: raw.length, holds };
}

async function heldBy(room: Room, commit: string, files: CommitRequest['files']): Promise<readonly string[]> {
  const texts = Object.entries(files).filter((file): file is [string, string] => file[1] !== null);
  const ids = await blobsIn(
    room,
    commit,
    texts.map(([path]) => path),
  );
  return texts.flatMap(([path, text]) => (isBlob(ids.get(path), text) ? [path] : []));
}

/** The text of a commit's message, without secrets. */
export function messageOf({ subject, body, trailers }: Pick<CommitRequest, 'subject' | 'body' | 'trailers'>): string {
  const parts = [subject, body.trim(), trailers.map(([key, value]) => `${key}: ${value}`).join('\n')];
  return withoutSecrets(`${parts.filter((part) => part !== '').join('\n\n')}\n`);
}

const HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg'];

/** No person can answer a prompt or read a pager. */
const UNATTENDED = { GIT_EDITOR: ':', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };

/** The user's hooks that exist, in their order. */
async function presentHooks(room: Room): Promise<readonly string[]> {
  const found = await Promise.all(HOOKS.map((hook) => stat(`${room.hooksDir}/${hook}`)));
  return HOOKS.filter((_, at) => found[at] !== null);
}

/**
 * Runs commit hooks on the index of the commit that is being built, which they may change; returns the message as they
 * leave it, or the first refusal.
 */
async function runHooks(
  room: Room,
  request: CommitRequest,
  hooks: readonly string[],
  message: string,
): Promise<HookFailure | string> {
  const runAll = (setting: HookSetting) => firstFailure(room, request, hooks, setting);
  if (request.guestHooks) return runInGuest(room, request, message, runAll);
  // Where users' hooks expect it, whether or not they read their argument.
  const edited = `${room.repo.gitDir}/COMMIT_EDITMSG`;
  await writeAtomic(edited, message, { fsync: false });
  const failure = await runAll({ index: `${room.work}/commit.index`, message: edited, mounts: [] });
  return failure ?? (await readText(edited)) ?? '';
}

async function firstFailure(
  room: Room,
  { runHook }: CommitRequest,
  hooks: readonly string[],
  { index, message, mounts }: HookSetting,
): Promise<HookFailure | null> {
  for (const hook of hooks) {
    const args = hook === 'pre-commit' ? [] : hook === 'commit-msg' ? [message] : [message, 'message'];
    const { exitCode, output } = await runHook({
      file: 'git',
      args: ['hook', 'run', '--ignore-missing', hook, '--', ...args],
      cwd: room.repo.root,
      env: { ...UNATTENDED, GIT_INDEX_FILE: index },
      mounts,
    });
    if (exitCode !== 0) return { hook, output };
  }
  return null;
}

/**
 * Exit code: git cannot take a path from the work tree. A link took its directory's place, or an empty directory or a
 * FIFO its own: the caller must list such paths as deleted.
 */
const DISPLACED = 66;

/**
 * $1: parent, $2: "gone" when a list of paths to remove is in the scratch folder, $3: "none" without anything on
 * standard input: paths to take from the work tree, through the user's filters; from $6 on: our own files, which are in
 * the scratch folder. Builds the index of a commit.
 *
 * update-index, not add: it takes each path literally. A pathspec "x" would also take everything below a directory "x",
 * even ignored files.
 */
const BUILD_INDEX = sh`
GIT_INDEX_FILE=$W/commit.index
export GIT_INDEX_FILE
[ ! -e "$GIT_INDEX_FILE.lock" ] || rm -f "$GIT_INDEX_FILE.lock"
# The index of the last commit made here is the one to begin with, if that commit is the parent now.
holds=
[ ! -s "$W/commit.holds" ] || read -r holds <"$W/commit.holds"
: >"$W/commit.holds"
# The whole commit, even in a sparse checkout.
[ "$holds" = "$1" ] || git read-tree --no-sparse-checkout "$1"
[ "$3" = none ] || git update-index -z --add --remove --replace --stdin || exit 66
[ "$2" != gone ] || git update-index -z --force-remove --stdin <"$W/gone"
# Attributes are looked up in the index, because this work tree has no .gitattributes.
[ $# -le 5 ] || (
  shift 5
  cd "$W/files"
  GIT_WORK_TREE=$W/files
  export GIT_WORK_TREE
  exec git update-index --add --replace -- "$@"
)
`;

/** $1: parent (as above), $4: message without its last line break, $5: -S or empty. Prints the commit. */
const MAKE_COMMIT = sh`
GIT_INDEX_FILE=$W/commit.index
export GIT_INDEX_FILE
tree=$(git write-tree)
exec git commit-tree $5 -p "$1" "$tree" <<MESSAGE
$4
MESSAGE
`;
