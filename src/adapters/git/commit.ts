import {
  copyWithTime,
  crashpoint,
  exists,
  makeDir,
  move,
  orNull,
  readText,
  remove,
  stat,
  withoutSecrets,
  writeAtomic,
} from '../../platform/index.ts';
import { applyBeside, moveBranch } from './beside.ts';
import { changeIndex } from './change-index.ts';
import { diffTrees, readTree } from './checkpoint.ts';
import type { HookFailure, HookSetting } from './guest/hook-run.ts';
import { runInGuest } from './guest/hook-run.ts';
import { looseHead } from './head.ts';
import { rememberCommit, storiesNamed } from './history.ts';
import { joinNul, parseRaw, type RawChange } from './lists.ts';
import type { ApplyOutcome, Checkpoint, CommitOutcome, CommitRequest } from './port.ts';
import { gitError, line, type Prepared, type Room, runScript, type ScriptResult, tryScript } from './room.ts';
import { APPLY, BUILD_INDEX, DISPLACED, FIND_BRANCH, MAKE_COMMIT, TAKE_INDEX, UNBORN } from './scripts/commit.ts';
import { OPERATION_FILES } from './scripts/prelude.ts';
import { secretsInCommit } from './secrets-in.ts';
import { markIndexKnown } from './shadow.ts';

const GITLINK = '160000';

/** See `Git.prepareCommit`. The index is a scratch one; only the objects remain. */
export async function prepareCommit(room: Room, request: CommitRequest): Promise<CommitOutcome> {
  const parent = request.parent ?? request.checkpoint.head;
  const dated = withDate(room, request.date);
  const message = `${room.work}/message`;
  await writeAtomic(message, messageOf(request), { fsync: false });
  const hooks = request.hooks ? await presentHooks(room) : [];
  if (hooks.length === 0) {
    const result = await build(dated, request, parent, BUILD_INDEX + MAKE_COMMIT, [message, request.sign ? '-S' : '']);
    return prepared(room, request, parseOutput(result), parent, storiesNamed(request.trailers));
  }

  await build(dated, request, parent, BUILD_INDEX, []);
  const said = await runHooks(room, request, hooks, messageOf(request));
  if (typeof said !== 'string') return { kind: 'hook-failed', ...said };
  await writeAtomic(message, withoutSecrets(said), { fsync: false });
  const result = await runScript(dated, 'make the commit', MAKE_COMMIT, [
    parent,
    '',
    '',
    '',
    message,
    request.sign ? '-S' : '',
  ]);
  // A hook may have changed the message as well.
  return prepared(room, request, parseOutput(result), parent, null);
}

/** Builds the index (and possibly the commit); again, with more information, where the plain list of paths fails. */
async function build(
  room: Room,
  request: CommitRequest,
  parent: string,
  script: string,
  rest: readonly string[],
): Promise<Buffer> {
  const deleted = Object.keys(request.files).filter((path) => request.files[path] === null);
  const first = await attempt(room, request, parent, deleted, script, rest);
  const links = first.exitCode === 0 && script !== BUILD_INDEX ? newLinks(parseOutput(first.stdout).raw) : [];
  if (first.exitCode === 0 && links.length === 0) return first.stdout;
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
    rest,
  );
  if (second.exitCode !== 0) throw gitError(room, 'build the commit', second);
  return second.stdout;
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
  rest: readonly string[],
): Promise<ScriptResult> {
  const written = Object.entries(request.files).filter((entry): entry is [string, string] => entry[1] !== null);
  if (written.length > 0) {
    await remove(`${room.work}/files`);
    await Promise.all(written.map(([path, text]) => writeAtomic(`${room.work}/files/${path}`, text, { fsync: false })));
    await writeAtomic(`${room.work}/written`, joinNul(written.map(([path]) => path)), { fsync: false });
  }
  const removals = gone.filter((path) => request.paths.includes(path) || path in request.files);
  if (removals.length > 0) await writeAtomic(`${room.work}/gone`, joinNul(removals), { fsync: false });
  const without = new Set([...removals, ...Object.keys(request.files)]);
  const paths = joinNul(request.paths.filter((path) => !without.has(path)));
  const kinds = [
    removals.length > 0 ? 'gone' : '',
    written.length > 0 ? 'written' : '',
    paths.length > 0 ? '' : 'none',
  ];
  return tryScript(room, script, [parent, ...kinds, ...rest], paths);
}

interface MadeCommit {
  readonly commit: string;
  readonly raw: readonly RawChange[];
}

function parseOutput(output: Buffer): MadeCommit {
  const end = output.lastIndexOf(0);
  return { commit: line(output.subarray(end + 1)), raw: parseRaw(output.subarray(0, end)) };
}

/** Nested repositories that replaced a file are never committed. */
function newLinks(raw: readonly RawChange[]): string[] {
  return raw.filter(({ newMode, status }) => newMode === GITLINK && status !== 'modified').map(({ path }) => path);
}

async function prepared(
  room: Room,
  { checkpoint, paths, mayHoldSecrets }: CommitRequest,
  { commit, raw }: MadeCommit,
  parent: string,
  stories: readonly string[] | null,
): Promise<CommitOutcome> {
  // Then the commit is an object that nothing refers to: git removes it eventually.
  if (raw.length === 0) return { kind: 'empty' };
  // The loop's own files contain what a person wrote, or went through `withoutSecrets`.
  const files = paths.length > 0 && !mayHoldSecrets ? await secretsInCommit(room, parent, raw) : [];
  if (files.length > 0) return { kind: 'holds-secrets', files };
  const index = prepareIndex(room, checkpoint, { parent, raw });
  room.memory.prepared = { commit, parent, stories, index };
  return { kind: 'prepared', commit, parent, files: raw.length };
}

/** The text of a commit's message, without secrets. */
export function messageOf({ subject, body, trailers }: Pick<CommitRequest, 'subject' | 'body' | 'trailers'>): string {
  const parts = [subject, body.trim(), trailers.map(([key, value]) => `${key}: ${value}`).join('\n')];
  return withoutSecrets(`${parts.filter((part) => part !== '').join('\n\n')}\n`);
}

/** Dates in UTC: the same input must give the same id on every machine. */
export function withDate(room: Room, date: number): Room {
  const stamp = `${Math.floor(date / 1000)} +0000`;
  return { ...room, env: { ...room.env, GIT_AUTHOR_DATE: stamp, GIT_COMMITTER_DATE: stamp } };
}

export async function applyCommit(
  room: Room,
  input: { readonly checkpoint: Checkpoint; readonly commit: string; readonly agentHead: string },
): Promise<ApplyOutcome> {
  const { checkpoint, commit } = input;
  const last = room.memory.prepared;
  const isIndexMade = (await last?.index?.made) ?? false;
  room.memory.prepared = null;
  const known = last?.commit === commit ? last : null;
  await makeDir(room.work);
  crashpoint('git-before-apply');
  if (checkpoint.sealed) {
    const ready = known?.index?.from === checkpoint.index && isIndexMade ? preparedIndex(room) : null;
    const applied = await applyBeside(room, checkpoint, commit, ready);
    if (applied === 'applied' && known) rememberCommit(room, known);
    return applied;
  }
  if (known?.index && isIndexMade && (await applyPrepared(room, checkpoint, known))) {
    rememberCommit(room, known);
    return 'applied';
  }
  const said = await applyAfresh(room, input);
  if (said === 'moved') return 'moved-by-someone';
  if (known) rememberCommit(room, known);
  return said;
}

/** Applies it by git alone, from the checkpoint's copy of the index: after a crash, and where HEAD has moved. */
async function applyAfresh(
  room: Room,
  { checkpoint, commit, agentHead }: Parameters<typeof applyCommit>[1],
): Promise<'applied' | 'already' | 'moved'> {
  const branch = checkpoint.branch ?? 'HEAD';
  const found = line(
    await runScript(room, 'find the branch', FIND_BRANCH, [branch, checkpoint.head, agentHead, commit]),
  );
  if (found === 'already' || found === 'moved') return found;
  const [now = '', isSwitched = ''] = found.split(' ');
  if (checkpoint.index !== null) {
    await runScript(room, 'take the saved index', TAKE_INDEX, [checkpoint.index, checkpoint.head]);
    await changeIndex(room, `${room.work}/user.index`, await diffTrees(room, checkpoint.head, commit));
  }
  const kept = checkpoint.index === null ? '' : 'index';
  await runScript(room, 'move the branch', APPLY, [branch, now === UNBORN ? '' : now, isSwitched, commit, kept]);
  return 'applied';
}

/**
 * Begins to make the user's index with the commit applied: the checkpoint's copy, with the changed paths as the commit
 * has them. Null where only the script that applies commits can make it.
 */
function prepareIndex(
  room: Room,
  checkpoint: Checkpoint,
  { parent, raw }: { readonly parent: string; readonly raw: readonly RawChange[] },
): Prepared['index'] {
  if (checkpoint.index === null || parent !== checkpoint.head) return null;
  const from = checkpoint.index;
  // One after the other: they all write the same file. A caller that does not need the result does not wait.
  const before = room.memory.prepared?.index?.made ?? Promise.resolve(false);
  const made = before.then(() => make(room, from, raw)).catch(() => false);
  return { from, made };
}

async function make(room: Room, from: string, raw: readonly RawChange[]): Promise<boolean> {
  const index = preparedIndex(room);
  await remove(`${index}.lock`);
  if (!(await copyWithTime(from, index))) return false;
  await changeIndex(room, index, raw);
  return true;
}

/**
 * Puts the prepared index in place and moves the branch, if HEAD is where the checkpoint found it.
 * @returns false when that is not certain; anything done by then the script does again
 */
async function applyPrepared(room: Room, checkpoint: Checkpoint, prepared: Prepared): Promise<boolean> {
  const { branch, head, index } = checkpoint;
  if (prepared.index?.from !== index) return false;
  const now = await looseHead(room.repo);
  if (now === null || now.branch !== branch || now.commit !== head) return false;
  const { gitDir } = room.repo;
  await Promise.all(OPERATION_FILES.map((name) => remove(`${gitDir}/${name}`)));
  // A loop killed after this point finds the old branch, and does it all again from the checkpoint's copy.
  const [ours, before] = [`${gitDir}/index`, `${room.work}/before.index`];
  const hadIndex = await copyWithTime(ours, before);
  if ((await orNull(move(preparedIndex(room), ours).then(() => true))) === null) return false;
  if (!(await moveBranch(room, checkpoint, prepared.commit))) {
    // A person moved the branch first: what they staged is part of their commit. The script decides what that means.
    await (hadIndex ? move(before, ours) : remove(ours));
    return false;
  }
  await remove(before);
  await markIndexKnown(room);
  return true;
}

/** The file that {@link prepareIndex} makes. */
function preparedIndex(room: Room): string {
  return `${room.work}/apply.index`;
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
