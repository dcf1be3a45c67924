import { dirname } from 'node:path';
import { toUSVString } from 'node:util';
import { FileProblemsError, type Problem, StateError, UsageError } from '../../../contracts/index.ts';
import {
  isInProject,
  makeDir,
  readBytes,
  readInside,
  realPath,
  remove,
  stat,
  writeAtomic,
} from '../../../platform/index.ts';
import { type BacklogDocument, type Loaded, type LoadInput, loadBacklog } from '../../../rules/backlog/index.ts';
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
  const held = last.get(workspace)?.input;
  const [found, reviews] = await Promise.all([
    readInside(root, backlog.path, MOST_BACKLOG_BYTES, [held?.bytes, writtenTo(root, backlog.path)?.bytes]),
    readInside(root, reviewsPath, MOST_BACKLOG_BYTES, [held?.reviewsBytes, writtenTo(root, reviewsPath)?.bytes]),
  ]);
  if (found.bytes === null) return { document: null, problems: [unreadable(backlog.path, found.why)] };
  const { format, path: file } = backlog;
  const input = { format, file, bytes: found.bytes, reviewsFile: reviewsPath, reviewsBytes: reviews.bytes };
  return loadUnlessKnown(workspace, input);
}

/** Limit for a backlog; one of ten thousand stories has a tenth of it. */
export const MOST_BACKLOG_BYTES = 64 * 1024 * 1024;

/** The last backlog read of each workspace. A loop reads it several times per iteration, mostly unchanged. */
const last = new WeakMap<Workspace, { readonly input: ReadInput; readonly loaded: Loaded }>();

interface ReadInput extends LoadInput {
  readonly bytes: Buffer;
  readonly reviewsBytes: Buffer | null;
}

function loadUnlessKnown(workspace: Workspace, input: ReadInput): Loaded {
  const held = last.get(workspace);
  if (held !== undefined && isSame(held.input, input)) return held.loaded;
  const textOf = (path: string, bytes: Buffer | null) => {
    const own = writtenTo(workspace.root, path);
    return own !== undefined && own.bytes === bytes ? own.text : null;
  };
  const texts = { text: textOf(input.file, input.bytes), reviewsText: textOf(input.reviewsFile, input.reviewsBytes) };
  const loaded = loadBacklog({ ...input, ...texts });
  last.set(workspace, { input, loaded });
  return loaded;
}

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
  if (plain && found.size === Buffer.byteLength(content) && sameBytes(await readBytes(target), content)) return;
  // A link, a folder or a FIFO in the file's place would survive the write, or swallow it.
  if (found && !plain) await remove(target);
  await writeAtomic(target, typeof content === 'string' ? rememberWritten(target, content) : content);
}

/** What this process wrote, by path: it reads its own files again soon, and need not decode them. */
const written = new Map<string, { readonly bytes: Buffer; readonly text: string }>();
/** Backlog, reviews and progress log, of the work trees that take turns in one process. */
const MOST_WRITTEN = 12;

function rememberWritten(target: string, text: string): Buffer {
  const bytes = Buffer.from(text);
  written.delete(target);
  // Of any other text the bytes are not read as it.
  if (toUSVString(text) === text && !text.includes('\0')) written.set(target, { bytes, text });
  const [oldest] = written.keys();
  if (written.size > MOST_WRITTEN && oldest !== undefined) written.delete(oldest);
  return bytes;
}

/** What this process wrote last to a file of the work tree. */
function writtenTo(root: string, path: string) {
  return written.get(`${root}/${path}`);
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

function sameBytes(a: Uint8Array | null, b: Uint8Array | string | null): boolean {
  if (a === null || b === null) return a === b;
  return Buffer.compare(a, typeof b === 'string' ? Buffer.from(b) : b) === 0;
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
