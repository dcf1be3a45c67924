import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { type Git, isBlobAt } from '../../adapters/git/index.ts';
import type { Workspace } from '../../adapters/workspace/index.ts';
import type { IterationHeader, ProtectedNames } from '../../contracts/index.ts';
import {
  chmod,
  copy,
  type FileStat,
  linkTarget,
  list,
  makeDir,
  makeLink,
  move,
  readBytes,
  remove,
  stat,
  writeAtomic,
} from '../../platform/index.ts';
import { PROTECTED_FOLDERS, protectedNames } from '../../rules/trust/index.ts';
import type { RunContext } from '../context.ts';

/**
 * For a larger file only the hash is kept: its change is noticed, and the checkpoint has its content if git tracks it.
 */
const MOST_BYTES = 1024 * 1024;
/** For an even larger file, size and time are compared: reading it could take minutes. */
const MOST_READ = 64 * MOST_BYTES;
/** A smaller file is recorded itself: it takes no more room than a name. */
const LEAST_BLOB = 4096;
/** Most files recorded of a protected folder. */
const MOST_FILES = 500;

type Entry = NonNullable<ProtectedNames[string]>;

/** What was put back, and where the replaced content is kept; null: nothing was there. */
interface PutBack {
  readonly path: string;
  readonly how: 'added' | 'changed' | 'deleted';
  readonly kept: string | null;
  /** False for something large, or not a file: only its change was noticed. */
  readonly isBack: boolean;
}

/**
 * The content of the protected names before a program of the agent or the project runs: present or not, ignored by git
 * or not, file, link, pipe or folder. What git sees is put back from the checkpoint; this covers what git does not see.
 * @param tree the checkpoint's, and git to ask for it: content that it holds is recorded by its id
 */
export async function takeNames(
  root: string,
  workspace: Workspace,
  held?: { readonly git: Pick<Git, 'blobs'>; readonly tree: string },
): Promise<ProtectedNames> {
  const { files, folders } = protectedNames(workspace);
  const found: Record<string, Entry | null> = {};
  const seen: Seen = new Map();
  const paths = [...files, ...(await filesBelow(root, folders, seen))];
  const ids = await held?.git.blobs(held.tree, paths);
  for (const path of paths) {
    // For a path behind the person's own link, only the link is recorded.
    const place = (await obstacleTo(root, path, seen)) ?? path;
    found[place] = await entryAt(root, place, seen, ids?.get(place));
  }
  return found;
}

/**
 * Restores the protected names. What is there instead is moved to `keepIn` first; nothing is lost. Safe to repeat after
 * a crash.
 */
async function restoreNamesOf(
  root: string,
  before: ProtectedNames,
  keepIn: string,
  show: (path: string) => Promise<Uint8Array | null>,
): Promise<readonly PutBack[]> {
  const changed: PutBack[] = [];
  const seen: Seen = new Map();
  for (const folder of PROTECTED_FOLDERS) {
    // The folder has too many files to examine, though it had fewer before: all of it is moved, with what hides in it.
    const held = Object.keys(before).filter((path) => path.startsWith(`${folder}/`)).length;
    if (held >= MOST_FILES || (await filesBelow(root, [folder], seen)).length < MOST_FILES) continue;
    seen.clear();
    changed.push({ path: folder, how: 'changed', kept: await keep(`${root}/${folder}`, keepIn, folder), isBack: true });
  }
  const paths = new Set([...Object.keys(before), ...(await filesBelow(root, PROTECTED_FOLDERS, seen))]);
  // A link or file in place of a folder comes first: through a link, files elsewhere would be moved and written.
  const places: string[] = [];
  for (const path of paths) {
    const obstacle = await obstacleTo(root, path, seen);
    if (obstacle !== null) places.push(obstacle);
  }
  for (const path of new Set([...places, ...paths])) {
    if ((await obstacleTo(root, path, seen)) !== null) continue;
    const was = before[path] ?? null;
    const now = await entryAt(root, path, seen, was?.kind === 'blob' ? was.id : undefined);
    if (JSON.stringify(was) === JSON.stringify(now)) continue;
    const how = was === null ? 'added' : now === null ? 'deleted' : 'changed';
    const bytes =
      was?.kind === 'blob' ? await show(path) : was?.kind === 'file' ? Buffer.from(was.base64, 'base64') : null;
    if (was !== null && bytes === null && was.kind !== 'link') {
      // No copy of it exists, so the present content stays.
      changed.push({ path, how, kept: null, isBack: false });
      continue;
    }
    seen.clear();
    const kept = now === null ? null : await keep(`${root}/${path}`, keepIn, path);
    await put(`${root}/${path}`, was, bytes);
    changed.push({ path, how, kept, isBack: true });
  }
  return changed;
}

/** An iteration, or the checks before the first one. */
type At = Pick<IterationHeader, 'run' | 'iteration'> & Partial<Pick<IterationHeader, 'story'>>;

/**
 * {@link restoreNamesOf}, and a rescue ref for what was there instead. What git cannot store (a pipe, a socket) lies only
 * in `<git dir>/ralph/set-aside`.
 * @param base tree or commit that the rescue is based on and that holds the content recorded by id, and its parent
 */
export async function restoreNames(
  { git, clock }: Pick<RunContext, 'git' | 'clock'>,
  before: ProtectedNames,
  at: At,
  base: { readonly tree: string; readonly head: string },
): Promise<readonly PutBack[]> {
  const { run, iteration, story } = at;
  const folder = `${git.repo.stateDir}/set-aside/${run}/${iteration}`;
  const changed = await restoreNamesOf(git.repo.root, before, folder, (path) => git.show(base.tree, path));
  const kept = new Set(
    changed.flatMap(({ kept }) => (kept === null ? [] : [kept.slice(folder.length + 1).split('/')[0]])),
  );
  for (const k of kept) {
    const tree = await git.layOver(`${folder}/${k}`, base.tree);
    const subject = `rescue(${story ?? 'checks'}): files found at protected names`;
    const found =
      tree === base.tree ? null : { run, iteration, tree, parents: [base.head], subject, date: clock.now() };
    if (found !== null) await git.rescue(found);
  }
  return changed;
}

/** All that no tree of the checkpoint holds: protected names, and the loop's own files where git ignores them. */
export function hiddenOf({ names, spec }: Pick<IterationHeader, 'names' | 'spec'>): ProtectedNames {
  return { ...names, ...spec };
}

/**
 * {@link restoreNames} after programs whose changes are judged by no verdict, reported in the run's log: checks and commit
 * hooks, which run code that agents wrote, and a process of an agent that is followed by another one.
 */
export async function putBackAfterChecks(
  context: Pick<RunContext, 'git' | 'clock' | 'emit'>,
  before: ProtectedNames,
  at: At,
  base: { readonly tree: string; readonly head: string },
  who = 'A check or a commit hook',
): Promise<void> {
  for (const { path, isBack } of await restoreNames(context, before, at, base)) {
    const text = `${who} changed ${path}; ${isBack ? 'it was put back' : 'it is too large to be put back'}.`;
    context.emit(at.iteration, { type: 'notice', level: 'warning', remember: true, text });
  }
}

/** What is at paths below the root, each looked at once while nothing writes there; null: nothing. */
type Seen = Map<string, FileStat | null>;

/** Behind a link or a file is nothing. */
async function lookAt(root: string, path: string, seen: Seen): Promise<FileStat | null> {
  const known = seen.get(path);
  if (known !== undefined) return known;
  const above = dirname(path);
  const isReached = above === '.' || (await lookAt(root, above, seen))?.kind === 'dir';
  const found = isReached ? await stat(`${root}/${path}`).catch(() => null) : null;
  seen.set(path, found);
  return found;
}

/** The first files of each folder; the name itself where it is not a folder. */
async function filesBelow(root: string, folders: readonly string[], seen: Seen): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const queue = [folder];
    const most = found.length + MOST_FILES;
    for (let path = queue.shift(); path !== undefined && found.length < most; path = queue.shift()) {
      if ((await lookAt(root, path, seen))?.kind !== 'dir') found.push(path);
      else queue.push(...(await list(`${root}/${path}`)).map((name) => `${path}/${name}`));
    }
  }
  return found;
}

/** The first existing parent of a path that is not a folder, relative to the root; null: none. */
export async function obstacleTo(root: string, path: string, seen: Seen = new Map()): Promise<string | null> {
  const above = dirname(path);
  if (above === '.') return null;
  const found = await lookAt(root, above, seen);
  if (found === null) return obstacleTo(root, above, seen);
  return found.kind === 'dir' ? null : above;
}

/** null when nothing is there. @param id of the blob that it may be */
async function entryAt(root: string, name: string, seen: Seen, id?: string): Promise<Entry | null> {
  const found = await lookAt(root, name, seen);
  const path = `${root}/${name}`;
  if (found === null) return null;
  if (found.kind === 'symlink') return { kind: 'link', target: (await linkTarget(path)) ?? '' };
  if (found.kind !== 'file') return { kind: 'other' };
  const isRead = found.size <= MOST_READ;
  if (isRead && id !== undefined && found.size >= LEAST_BLOB && (await isBlobAt(id, path, found.size)))
    return { kind: 'blob', mode: found.mode, id };
  const bytes = isRead ? ((await readBytes(path)) ?? new Uint8Array()) : Buffer.from(`${found.size} ${found.mtimeMs}`);
  if (isRead && bytes.length <= MOST_BYTES)
    return { kind: 'file', mode: found.mode, base64: Buffer.from(bytes).toString('base64') };
  return { kind: 'large', mode: found.mode, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Moves the entry unchanged; copies it across file systems. @returns its new path */
async function keep(path: string, folder: string, name: string): Promise<string> {
  for (let k = 1; ; k += 1) {
    const to = `${folder}/${k}/${name}`;
    if ((await stat(to)) !== null) continue;
    await makeDir(dirname(to));
    await move(path, to).catch(async () => {
      await copy(path, to);
      await remove(path);
    });
    return to;
  }
}

async function put(path: string, entry: Entry | null, bytes: Uint8Array | null): Promise<void> {
  if (entry === null || entry.kind === 'other') return;
  await makeDir(dirname(path));
  if (entry.kind === 'link') return makeLink(entry.target, path);
  if (bytes === null) return;
  await writeAtomic(path, bytes);
  await chmod(path, entry.mode);
}
