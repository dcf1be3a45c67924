import { basename } from 'node:path';
import { copyWithTime, makePrivateDir, remove } from '../../platform/index.ts';
import { healIndex } from './change-index.ts';
import { headLogSize } from './head.ts';
import { joinNul, parseRaw, parseRefs, pathFromBytes, sections, splitNul, withoutDot } from './lists.ts';
import { oddModes } from './odd-modes.ts';
import type { AfterState, Checkpoint, Ignored } from './port.ts';
import { line, type Room, runGit, runScript } from './room.ts';
import { AFTER, AFTER_NEW_RULES, CHECKPOINT, RESTORE_TREE, SAVE_IGNORED, TREE } from './scripts/snapshot.ts';
import { acknowledgeNested, excludeNested, readLeftOut, readNested, runSnapshot } from './shadow.ts';

const GITLINK = '160000';

/** See `Git.checkpoint`. */
export async function takeCheckpoint(room: Room, label: string): Promise<Checkpoint & Ignored> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(label)) throw new Error(`not a label for a checkpoint: ${label}`);
  const copy = `${room.repo.stateDir}/index-${label}`;
  const name = `${worktreeName(room.repo)}/${label}`;
  // Before HEAD is read: entries logged in between count as later, and are read again.
  const headLog = await headLogSize(room.repo);
  const [output, hasIndex] = await Promise.all([
    runSnapshot(room, 'take a checkpoint', 'user', CHECKPOINT, [name]),
    copyIndex(room, copy),
  ]);
  await acknowledgeNested(room);
  const [[refs = Buffer.of(), treeName = Buffer.of(), ...empty] = [], ignored = []] = sections(splitNul(output));
  const tree = treeName.toString('latin1');
  room.memory.tree = tree;
  return {
    ...parseRefs(refs.toString('utf8').split('\n')),
    tree,
    index: hasIndex ? copy : null,
    modes: await oddModes(room, empty),
    emptyDirs: empty.map((record) => withoutDot(pathFromBytes(record))),
    headLog,
    ignored: await withoutOwn(room, ignored.map(pathFromBytes)),
  };
}

/** Git also lists nested repositories and the files left out of snapshots as ignored. */
async function withoutOwn(room: Room, ignored: readonly string[]): Promise<readonly string[]> {
  const { known } = await readNested(room);
  const own = new Set([...known.map((folder) => `${folder}/`), ...(await readLeftOut(room))]);
  return ignored.filter((path) => !own.has(path));
}

export async function saveIgnored(room: Room, paths: readonly string[]): Promise<string> {
  const ref = `refs/ralph/checkpoint/${worktreeName(room.repo)}/precious`;
  return line(await runScript(room, 'save ignored files', SAVE_IGNORED, [ref], joinNul(paths)));
}

/** @returns whether there is an index */
async function copyIndex({ repo }: Room, copy: string): Promise<boolean> {
  await makePrivateDir(repo.stateDir);
  const isThere = await copyWithTime(`${repo.gitDir}/index`, copy);
  if (!isThere) await remove(copy);
  return isThere;
}

/** Different for all work trees of a repository, and stable: git itself names the git dir of every linked one. */
function worktreeName({ gitDir, commonDir }: Room['repo']): string {
  return gitDir === commonDir ? 'main' : `worktrees/${basename(gitDir)}`;
}

/** See `Git.after`. */
export async function readAfter(room: Room, checkpoint: Checkpoint): Promise<AfterState> {
  await healIndex(room, checkpoint);
  let state = await look(room, checkpoint, AFTER);
  if (state.raw.some(({ path }) => path === '.gitignore' || path.endsWith('/.gitignore')))
    state = await look(room, checkpoint, AFTER_NEW_RULES);
  // A repository in the place of a tracked file appears without an error, as a link to its commit.
  if (state.raw.some((change) => change.newMode === GITLINK)) {
    await excludeNested(room);
    state = await look(room, checkpoint, AFTER_NEW_RULES);
  }
  const { head, branch, refs, tree, raw } = state;
  return {
    // On a branch without a commit (checkout --orphan) the agent has no commits to keep.
    head: head || checkpoint.head,
    branch,
    tree,
    movedRefs: movedRefs(checkpoint, refs, branch),
    changed: raw.map(({ path, status }) => ({ path, status })),
  };
}

async function look(room: Room, checkpoint: Checkpoint, script: string) {
  const output = await runSnapshot(room, 'look at what the agent left', 'agent', script, [checkpoint.tree]);
  const [start, end] = [output.indexOf(0), output.lastIndexOf(0)];
  const refs = parseRefs(output.subarray(0, start).toString('utf8').split('\n'));
  return { tree: line(output.subarray(end + 1)), ...refs, raw: parseRaw(output.subarray(start + 1, end)) };
}

/** HEAD's own branch, before or after, is in `head` and `branch`. */
function movedRefs(
  checkpoint: Checkpoint,
  now: Readonly<Record<string, string>>,
  branch: string | null,
): AfterState['movedRefs'] {
  const names = new Set([...Object.keys(checkpoint.refs), ...Object.keys(now)]);
  const moved: Record<string, readonly [string, string]> = {};
  for (const name of names) {
    if (name === checkpoint.branch && name === branch) continue;
    const [before, after] = [checkpoint.refs[name] ?? '', now[name] ?? ''];
    if (before !== after) moved[name] = [before, after];
  }
  return moved;
}

/** See `Git.tree`. */
export async function readTree(room: Room): Promise<string> {
  return line(await runSnapshot(room, 'read the work tree', 'agent', TREE));
}

export async function restoreTree(room: Room, tree: string): Promise<void> {
  await runSnapshot(room, 'undo changes in the work tree', 'agent', RESTORE_TREE, [tree]);
}

/** Otherwise git reads .gitmodules, which an agent may have written, to decide whether submodules count. */
export const WHOLE_LINKS = '--ignore-submodules=none';

/** Raw difference between two trees or commits. */
export async function diffTrees(room: Room, from: string, to: string) {
  return parseRaw(
    await runGit(room, 'compare two trees', ['diff-tree', '-r', '-z', '--raw', '--no-renames', WHOLE_LINKS, from, to]),
  );
}
