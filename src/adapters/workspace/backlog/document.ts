import { dirname } from 'node:path';
import { toUSVString } from 'node:util';
import { FileProblemsError, type Problem, StateError, UsageError } from '../../../contracts/index.ts';
import {
  isInProject,
  isText,
  makeDir,
  readBytes,
  readKnown,
  realPath,
  remove,
  stat,
  writeAtomic,
} from '../../../platform/index.ts';
import {
  type BacklogDocument,
  decodeText,
  type Loaded,
  type LoadInput,
  loadBacklog,
} from '../../../rules/backlog/index.ts';
import type { Workspace } from '../layout.ts';

/**
 * Reads the backlog and, beside it, `reviews.json`. Errors in them are returned as problems.
 * @throws UsageError when the workspace has no backlog at all.
 */
export async function readDocument(workspace: Workspace): Promise<Loaded> {
  const { root, backlog, reviewsPath, specDir } = workspace;
  if (backlog === null) {
    throw new UsageError({
      what: 'there is no backlog',
      where: specDir,
      why: 'ralph works on the stories of a backlog: tasks.json, prd.json, plan.md or fix_plan.md',
      fix: [`write ${specDir}/tasks.json (\`ralph init\` creates an empty one)`],
    });
  }
  const [found, reviews] = await Promise.all([
    readHeld(root, backlog.path, MOST_BACKLOG_BYTES),
    readHeld(root, reviewsPath, MOST_BACKLOG_BYTES),
  ]);
  if (found.bytes === null) return { document: null, problems: [unreadable(backlog.path, found.why)] };
  const { format, path: file } = backlog;
  const input = { format, file, bytes: found.bytes, reviewsFile: reviewsPath, reviewsBytes: reviews.bytes };
  const known = last.get(workspace);
  if (known !== undefined && isSame(known.input, input)) return known.loaded;
  const loaded = loadBacklog(input);
  last.set(workspace, { input, loaded });
  return loaded;
}

/** Limit for a backlog; one of ten thousand stories has a tenth of it. */
export const MOST_BACKLOG_BYTES = 64 * 1024 * 1024;

/** The last backlog read of each workspace. A loop reads it several times per iteration, mostly unchanged. */
const last = new WeakMap<Workspace, { readonly input: LoadInput; readonly loaded: Loaded }>();

function isSame(a: LoadInput, b: LoadInput): boolean {
  const named = a.format === b.format && a.file === b.file && a.reviewsFile === b.reviewsFile;
  return named && a.bytes === b.bytes && a.reviewsBytes === b.reviewsBytes;
}

/**
 * The backlog, or all the problems that make it unusable.
 * @throws FileProblemsError
 */
export async function loadOrThrow(
  workspace: Workspace,
): Promise<{ readonly document: BacklogDocument; readonly warnings: readonly Problem[] }> {
  const { document, problems } = await readDocument(workspace);
  if (document !== null) return { document, warnings: problems };
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const file = workspace.backlog?.path ?? workspace.specDir;
  throw new FileProblemsError(
    { what: `${file} cannot be used: ${errors === 1 ? '1 error' : `${errors} errors`}` },
    problems,
  );
}

/**
 * Writes files of the work tree, each atomically; null removes. Files with the same bytes are left alone, so that
 * repeating it costs nothing and triggers no watchers. An obstacle in the place of a file's folder is removed: a file,
 * or a link that leads out of the work tree.
 * @param files paths relative to `root`
 * @throws StateError for a path that leads out of the work tree by `..`.
 */
export async function writeFiles(
  root: string,
  files: Readonly<Record<string, Uint8Array | string | null>>,
): Promise<void> {
  const realRoot = await realPath(root);
  for (const path of Object.keys(files)) await makeWay(realRoot, path);
  // In parallel: most of the time is spent waiting for the disk.
  await Promise.all(Object.entries(files).map(([path, content]) => writeFile(`${realRoot}/${path}`, content)));
}

async function writeFile(target: string, content: Uint8Array | string | null) {
  if (content === null) return remove(target);
  const found = await stat(target);
  const plain = found?.kind === 'file';
  if (plain && found.size === Buffer.byteLength(content) && (await isSameAt(target, content))) return;
  // A link, a folder or a FIFO in the file's place would survive the write, or swallow it.
  if (found && !plain) await remove(target);
  await writeAtomic(target, content);
  if (typeof content === 'string') hold(target, content);
}

async function isSameAt(path: string, content: Uint8Array | string): Promise<boolean> {
  return typeof content === 'string' ? isText(path, content) : (await readBytes(path))?.equals(content) === true;
}

/** What files said last, by path: the loop reads its own again and again, and need not decode them each time. */
const held = new Map<string, string>();
/** Backlog, reviews and progress log, of the work trees that take turns in one process. */
const MOST_HELD = 12;

function hold(path: string, text: string): void {
  held.delete(path);
  // Of any other text the bytes are not read as it.
  if (toUSVString(text) === text && !text.includes('\0')) held.set(path, text);
  const [oldest] = held.keys();
  if (held.size > MOST_HELD && oldest !== undefined) held.delete(oldest);
}

/** A file of the work tree: its text, as long as it is unchanged the same; else its bytes, or why there are none. */
async function readHeld(root: string, path: string, maxBytes: number) {
  const found = await readKnown(root, path, maxBytes, held.get(`${root}/${path}`));
  if (found.bytes === null || typeof found.bytes === 'string') return found;
  const decoded = decodeText(found.bytes, path);
  if ('problem' in decoded) return found;
  hold(`${root}/${path}`, decoded.text);
  return { bytes: decoded.text };
}

async function makeWay(realRoot: string, path: string): Promise<void> {
  const parts = path.split('/');
  if (parts.some((part) => part === '..' || part === '')) {
    throw new StateError({
      what: `${path} leads out of the work tree`,
      where: realRoot,
      why: 'the loop writes only there',
      fix: ['name a path inside it'],
    });
  }
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = [realRoot, ...parts.slice(0, depth)].join('/');
    const found = await stat(folder);
    if (found && found.kind !== 'dir' && !(await leadsToFolder(realRoot, folder))) await remove(folder);
  }
  await makeDir(dirname(`${realRoot}/${path}`));
}

async function leadsToFolder(realRoot: string, link: string): Promise<boolean> {
  const real = await realPath(link).catch(() => null);
  return real !== null && isInProject(real, realRoot) && (await stat(real))?.kind === 'dir';
}

function unreadable(file: string, why: string | null): Problem {
  return {
    severity: 'error',
    rule: 'file/missing',
    file,
    line: 1,
    message: why === null ? 'the file is gone' : `the file ${why}`,
    fix: 'restore it (`git checkout -- <file>`, or `ralph rescue list` if a run had it)',
  };
}
