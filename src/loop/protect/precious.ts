import { dirname } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import { type IterationHeader, messageOf, type PreciousFiles } from '../../contracts/index.ts';
import {
  chmod,
  copy,
  exists,
  type FileStat,
  linkTarget,
  list,
  makeDir,
  makeLink,
  readBytes,
  remove,
  stat,
  writeAtomic,
} from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { careFor } from '../../rules/trust/index.ts';
import type { RunContext } from '../context.ts';
import { isLoopsOwn } from './loop-files.ts';
import { obstacleTo } from './protected-names.ts';

/** A larger file is not saved and only its loss is noticed, unless the setting or its name says that it counts. */
const MOST_BYTES = 1024 * 1024;
/** For all files together. */
const MOST_IN_ALL = 64 * MOST_BYTES;
/** Most files saved, and most names examined. */
const [MOST_FILES, MOST_NAMES] = [2_000, 20_000];

type Found = PreciousFiles['files'][string];

/** What was last saved for a repository: while nothing changes, no git process is started. */
const saved = new WeakMap<Git, { readonly of: string; readonly tree: string }>();

/** Repositories already reported to hold more ignored files than can be saved. */
const toldOf = new WeakSet<Git>();

/**
 * Saves the person's files that git ignores and no tool can rebuild, as git objects kept by a ref.
 * @param ignored files, and folders with a slash at the end, as git lists them at the checkpoint
 */
export async function takePrecious(
  { git, config, workspace, emit }: Pick<RunContext, 'git' | 'config' | 'workspace' | 'emit'>,
  iteration: number,
  ignored: readonly string[],
): Promise<PreciousFiles> {
  const { root } = git.repo;
  const found: (readonly [string, FileStat, 'always' | 'usual'])[] = [];
  const queue = [...ignored];
  let isWhole = true;
  for (let at = 0; at < queue.length; at += 1) {
    if (at >= MOST_NAMES || found.length >= MOST_FILES) {
      isWhole = false;
      break;
    }
    const path = (queue[at] ?? '').replace(/\/$/, '');
    const now = await stat(`${root}/${path}`).catch(() => null);
    if (now === null || now.kind === 'other') continue;
    const care = careFor(path, now.kind === 'dir' ? 'folder' : 'file', config.precious);
    if (care === 'no' || isLoopsOwn(workspace, path)) continue;
    if (care !== 'open') found.push([path, now, care]);
    // Repositories and Python environments under another name.
    else {
      const names = await list(`${root}/${path}`).catch((): readonly string[] => []);
      if (!names.includes('.git') && !names.includes('pyvenv.cfg'))
        queue.push(...names.map((name) => `${path}/${name}`));
    }
  }
  if (!isWhole && !toldOf.has(git)) {
    toldOf.add(git);
    const text = `There are more ignored files than ralph watches (${MOST_FILES}): the rest is not saved.`;
    const fix = 'exclude generated files in `precious`, e.g. "!build"';
    emit(iteration, { type: 'notice', level: 'warning', text, fix });
  }
  let left = MOST_IN_ALL;
  const files: Record<string, Found> = {};
  for (const [path, { size, mode, ...now }, care] of found) {
    const isReadable = now.kind === 'symlink' || (mode & 0o444) !== 0;
    const isSaved = isReadable && (care === 'always' || (size <= MOST_BYTES && size <= left));
    if (isSaved && care === 'usual') left -= size;
    files[path] = { mode, stamp: stampOf({ size, mode, ...now }), isSaved };
  }
  return save(git, files, (text) => emit(iteration, { type: 'notice', level: 'warning', text }));
}

async function save(git: Git, files: PreciousFiles['files'], warn: (text: string) => void): Promise<PreciousFiles> {
  const paths = Object.keys(files).filter((path) => files[path]?.isSaved);
  if (paths.length === 0) return { tree: null, files };
  const of = JSON.stringify(paths.map((path) => [path, files[path]]));
  const last = saved.get(git);
  if (last?.of === of) return { tree: last.tree, files };
  try {
    const tree = await git.saveIgnored(paths);
    saved.set(git, { of, tree });
    return { tree, files };
  } catch (error) {
    warn(`Ignored files could not be saved: ${messageOf(error)}`);
    const unsaved = Object.entries(files).map(([path, found]) => [path, { ...found, isSaved: false }]);
    return { tree: null, files: Object.fromEntries(unsaved) };
  }
}

/** What happened to a saved file, and what is done about it. */
interface Change {
  readonly path: string;
  readonly was: Found;
  readonly old: Uint8Array;
  readonly how: 'deleted' | 'changed';
  /** Its old version is restored; else that lies only in the rescue. */
  readonly goesBack: boolean;
}

/**
 * Restores missing precious files, and on a rollback changed ones too. The version that does not end up in the work
 * tree lies under a rescue ref before anything is written. Safe to repeat after a crash.
 */
export async function restorePrecious(
  { git, clock, emit }: Pick<RunContext, 'git' | 'clock' | 'emit'>,
  { run, iteration, story, precious, head }: IterationHeader & { readonly head: string },
  rollBack: boolean,
): Promise<void> {
  if (precious === undefined) return;
  const { root, stateDir } = git.repo;
  const warn = (text: string, fix?: string) =>
    emit(iteration, {
      type: 'notice',
      level: 'warning',
      remember: true,
      text,
      ...(fix === undefined ? {} : { fix }),
    });
  const aside = `${stateDir}/set-aside/${run}/${iteration}/precious`;
  const changes: Change[] = [];
  const kept = new Set<string>();
  await remove(aside);
  for (const [path, was] of Object.entries(precious.files)) {
    const place = `${root}/${path}`;
    const obstacle = await obstacleTo(root, path);
    const now = obstacle === null ? await stat(place).catch(() => null) : null;
    if (now !== null && stampOf(now) === was.stamp) continue;
    const isGone = now === null || now.kind === 'dir' || now.kind === 'other';
    if (!was.isSaved || precious.tree === null) {
      if (isGone)
        warn(
          `The ignored file ${path} was deleted; it was not saved (too large, or not readable), so it cannot be restored.`,
        );
      continue;
    }
    const old = await git.show(precious.tree, path);
    if (old === null) {
      if (isGone) warn(`The ignored file ${path} was deleted, and its saved copy is gone as well.`);
      continue;
    }
    if (!isGone && (await isSame(place, now, old, was))) {
      if (rollBack && now.kind === 'file' && now.mode !== was.mode) await chmod(place, was.mode);
      continue;
    }
    const goesBack = isGone ? obstacle === null && now?.kind !== 'dir' : rollBack;
    changes.push({ path, was, old, how: isGone ? 'deleted' : 'changed', goesBack });
    if (isGone && goesBack) continue;
    kept.add(path);
    await makeDir(dirname(`${aside}/${path}`));
    if (goesBack) await copy(place, `${aside}/${path}`);
    else await put(`${aside}/${path}`, old, was);
  }
  if (changes.length === 0) return;
  let name: string | null = null;
  if (kept.size > 0) {
    const tree = await git.layOver(aside, head);
    const subject = `rescue(${story}): ignored files, ${rollBack ? 'as they were before the roll-back' : 'as they were before the iteration'}`;
    name = (await git.rescue({ run, iteration, tree, parents: [head], subject, date: clock.now() })).name;
  }
  for (const { path, how, goesBack } of changes) {
    const what = goesBack
      ? 'it was put back'
      : how === 'changed'
        ? 'the change stays'
        : 'something else is in its place, so it was not restored';
    const isKept = name !== null && kept.has(path);
    const which = goesBack ? 'the changed version' : 'the version before';
    warn(
      `The ignored file ${path} was ${how}; ${what}${isKept ? `, and ${which} is kept` : ''}.`,
      isKept ? `ralph rescue restore ${name} ${shellWord(path)} --force` : undefined,
    );
  }
  for (const { path, old, was, goesBack } of changes) if (goesBack) await put(`${root}/${path}`, old, was);
  await remove(aside);
}

function stampOf({ kind, size, mode, mtimeMs, ctimeMs }: FileStat): string {
  return `${kind} ${size} ${mode.toString(8)} ${mtimeMs} ${ctimeMs}`;
}

async function isSame(place: string, now: FileStat, old: Uint8Array, was: Found): Promise<boolean> {
  if (!was.stamp.startsWith(`${now.kind} `)) return false;
  if (now.kind === 'symlink') return (await linkTarget(place)) === Buffer.from(old).toString('utf8');
  if (now.size !== old.length) return false;
  const bytes = await readBytes(place).catch(() => null);
  return bytes !== null && Buffer.compare(bytes, old) === 0;
}

async function put(place: string, bytes: Uint8Array, was: Found): Promise<void> {
  await makeDir(dirname(place));
  if (!was.stamp.startsWith('symlink ')) return writeAtomic(place, bytes, { mode: was.mode });
  await remove(place);
  await makeLink(Buffer.from(bytes).toString('utf8'), place);
}

/** Installed packages and builds lie at the top, or in the top folder of a part. */
const DEPTH = 2;
const MOST = 200;

/**
 * Ignored folders that existed when the iteration began and have disappeared (`git clean -fdx`): no checkpoint holds
 * them, and checks fail without them. Each is reported once; those still missing from an earlier iteration of this run
 * are still included.
 * @param ignored as git lists them at the checkpoint: folders end with a slash
 * @param saved ignored files that are restored, together with their folders
 */
export async function goneFolders(
  context: Pick<RunContext, 'git' | 'emit' | 'gone'>,
  iteration: number,
  ignored: readonly string[],
  saved: readonly string[],
): Promise<readonly string[]> {
  const folders = ignored
    .filter((path) => isProjectFile(path) && !saved.some((file) => file.startsWith(path)))
    .slice(0, MOST);
  const looked = [...new Set([...context.gone, ...folders])];
  const there = await Promise.all(looked.map((folder) => exists(`${context.git.repo.root}/${folder}`)));
  const gone = looked.filter((_, at) => !there[at]);
  const fresh = gone.filter((folder) => !context.gone.includes(folder));
  if (fresh.length > 0 || gone.length < context.gone.length) context.gone = gone;
  if (fresh.length > 0) {
    const text = `Missing since the agent worked: ${fresh.join(', ')}. Git ignores it, so no checkpoint contains it.`;
    const fix = 'install or build it again; until then failing checks do not cost the story an attempt';
    context.emit(iteration, { type: 'notice', level: 'warning', remember: true, text, fix });
  }
  return gone;
}

function isProjectFile(path: string): boolean {
  return path.endsWith('/') && path.split('/').length <= DEPTH + 1 && !path.startsWith('.ralph/');
}
