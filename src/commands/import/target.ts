import { posix, resolve } from 'node:path';
import {
  backUp,
  detectChecks,
  ensureStateIgnored,
  findWorkspace,
  notTheState,
  pathInside,
  prdNumber,
  readTemplate,
  type SpecFiles,
  scaffold,
  slug,
  workspaceAt,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import { type Env, UsageError } from '../../contracts/index.ts';
import { isInProject, notWritable, readText, realPath, stat } from '../../platform/index.ts';
import { isEmptyBacklog } from '../../rules/import/index.ts';
import { initialProgress } from '../../rules/progress.ts';

/** Where an import goes; paths relative to the root. */
export interface ImportTarget {
  readonly root: string;
  readonly specDir: string;
  readonly tasksPath: string;
  readonly prdPath: string;
  readonly progressPath: string;
  /** The backlog currently used there, if it has stories; null when there is nothing to lose. */
  readonly inUse: string | null;
  /** The values of an existing empty `tasks.json`. */
  readonly project: string;
  /** Null when it names none: see {@link branchFor}. */
  readonly branchName: string | null;
  readonly verifyCommands: readonly string[];
  /** Where editors find the JSON Schema. */
  readonly schema: string | null;
  /** Text of the existing `tasks.json`; null when there is none. */
  readonly text: string | null;
  readonly place: ImportPlace;
}

/**
 * The spec folder for an import. Writes nothing: missing files are created when the import is written.
 * @throws UsageError for a folder outside the work tree, or when several are possible
 */
export async function prepareTarget(input: PlaceInput): Promise<ImportTarget> {
  const { root } = input;
  const place = await findPlace(input);
  const { specDir, backlog } = place;
  const tasksPath = posix.join(specDir, 'tasks.json');
  const text = backlog?.path === tasksPath ? ((await readText(`${root}/${tasksPath}`)) ?? '') : '';
  const isEmpty = backlog === null || (backlog.path === tasksPath && isEmptyBacklog(text));
  const template = isEmpty && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
  const checks = template['verifyCommands'] ?? (place.missing === 'folder' ? await detectChecks(root) : []);
  return {
    root,
    specDir,
    tasksPath,
    prdPath: place.prdPath,
    progressPath: place.progressPath,
    inUse: isEmpty ? null : (backlog?.path ?? null),
    project: textOr(template['project'], posix.basename(root)),
    branchName: textOr(template['branchName'], '') || null,
    verifyCommands: Array.isArray(checks) ? checks.filter((each) => typeof each === 'string') : [],
    schema: await schemaOfTemplate(),
    text: text === '' ? null : text,
    place,
  };
}

/**
 * The branch for a backlog that names none: by its project, else by the repository's folder.
 * @param project its name in the imported file; null when it has none
 */
export function branchFor({ root, branchName, place }: ImportTarget, project: string | null): string {
  const folder = slug(posix.basename(root));
  const name =
    project !== null && /[a-z0-9]/i.test(project) && !PLAIN_NAMES.has(slug(project)) ? slug(project) : folder;
  return branchName ?? `ralph/${name}${place.prdNumber === null ? '' : `-prd-${place.prdNumber}`}`;
}

/** Headings of plans that are not names of projects. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(
  'ralph tasks task change changes plan prd todo todos to-do backlog project fix-plan implementation-plan roadmap'.split(
    ' ',
  ),
);

interface ImportedFiles {
  readonly tasks: string;
  /** Prose documents; the first becomes the PRD if there is none, the others are placed beside it. */
  readonly prose: readonly { readonly name: string; readonly text: string }[];
  /** Other files, relative to the root. */
  readonly beside: Readonly<Record<string, string>>;
}

/**
 * Writes the import and the missing files of the spec folder; all of it or nothing.
 * @returns paths that were written, and those of backups
 * @throws UsageError when a backlog with stories would be replaced and `force` is not set, or a file cannot be written
 */
export async function writeImport(
  target: ImportTarget,
  files: ImportedFiles,
  { force, repair, source }: { readonly force: boolean; readonly repair: boolean; readonly source: string | null },
): Promise<{ readonly written: readonly string[]; readonly backups: readonly string[] }> {
  const { root, tasksPath, inUse, place } = target;
  // A run may be working on the source: then nothing is lost, unless the source itself would be overwritten. Repairing
  // a backlog in place is the one exception: no run could work on it.
  const isRepaired = repair && inUse === source;
  if (inUse !== null && !force && !isRepaired && (inUse === tasksPath || inUse !== source))
    throw inTheWay(target, source);
  const prdIsFree = await hasNoPrd(target);
  const prose = files.prose.map(({ name, text }, index): [string, string] => [
    prdIsFree && index === 0 ? target.prdPath : posix.join(target.specDir, name),
    text,
  ]);
  const all = { [tasksPath]: files.tasks, ...Object.fromEntries(prose), ...files.beside };
  await refuseUnwritable(root, [...filesOfPlace(place), ...Object.keys(all)]);
  const created = await makePlace(root, place);
  const backups = inUse === tasksPath ? [await backUp(root, tasksPath)] : [];
  await writeFiles(root, all);
  return { written: [...new Set([...created, ...Object.keys(all)])], backups };
}

function inTheWay({ inUse, tasksPath }: ImportTarget, source: string | null): UsageError {
  const isItself = inUse === source;
  return new UsageError({
    what: isItself ? `${inUse} is already the backlog` : `${inUse} has stories`,
    where: inUse ?? tasksPath,
    why: isItself
      ? 'ralph works on it in place; nothing has to be imported'
      : `${tasksPath} would be read instead, and its stories would be ignored`,
    fix: [
      ...(isItself ? ['work on it in place: ralph validate, then ralph run'] : []),
      'import anyway: --force (a replaced tasks.json is kept as .bak-<time>)',
      ...(isItself ? [] : ['import into another folder: --prd 2']),
    ],
  });
}

async function hasNoPrd({ root, prdPath }: ImportTarget): Promise<boolean> {
  const there = await readText(`${root}/${prdPath}`);
  return there === null || there.trim() === '' || there === (await readTemplate('prd.md'));
}

async function schemaOfTemplate(): Promise<string | null> {
  const template = JSON.parse(await readTemplate('tasks.json')) as Record<string, unknown>;
  return typeof template['$schema'] === 'string' ? template['$schema'] : null;
}

/** The current progress log; a new one when there is none. */
export async function readProgress({ root, progressPath, project }: ImportTarget): Promise<string> {
  return (await readText(`${root}/${progressPath}`)) ?? initialProgress(project);
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

/**
 * Makes sure that every file can be written before any is: an import is all or nothing.
 * @param paths relative to `root`
 * @throws UsageError for the first that cannot be written, or whose folder leads out of the work tree
 */
async function refuseUnwritable(root: string, paths: readonly string[]): Promise<void> {
  const folders = new Set(paths.map((path) => posix.dirname(path)));
  for (const folder of folders) await refuseFolder(root, folder);
  for (const path of new Set(paths)) {
    if ((await stat(posix.join(root, path)))?.kind === 'dir') throw cannot(path, 'a folder has this name');
  }
}

/** Every part of the path must be a folder of the work tree, or missing; the last existing one must be writable. */
async function refuseFolder(root: string, folder: string): Promise<void> {
  let last = root;
  const parts = folder === '.' ? [] : folder.split('/');
  for (const depth of parts.keys()) {
    const path = parts.slice(0, depth + 1).join('/');
    const found = await stat(posix.join(root, path));
    if (found === null) break;
    last = posix.join(root, path);
    if (found.kind === 'dir') continue;
    if (found.kind !== 'symlink') throw cannot(path, 'a file is where a folder should be');
    const real = await realPath(last).catch(() => null);
    if (real === null || !isInProject(real, await realPath(root)))
      throw cannot(path, 'it is a link out of the work tree');
    if ((await stat(real))?.kind !== 'dir') throw cannot(path, 'it is a link to something that is not a folder');
  }
  if ((await notWritable(last)) !== null) throw cannot(folder, 'you have no permission to write to it');
}

function cannot(path: string, why: string): UsageError {
  return new UsageError({
    what: `${path} cannot be written`,
    where: path,
    why: `${why}; nothing was written`,
    fix: ['fix that', 'or import into another folder: --ralph-dir FOLDER'],
  });
}

interface PlaceInput {
  /** The git work tree. */
  readonly root: string;
  readonly cwd: string;
  readonly flags: { readonly ralphDir?: string; readonly prd?: string; readonly projectDir?: string };
  readonly env: Env;
}

/** The spec folder that an import goes to; it may not exist. */
interface ImportPlace extends SpecFiles {
  readonly specDir: string;
  /** The number of `.ralph/PRD-N`. */
  readonly prdNumber: number | null;
  /** What {@link makePlace} has to create: a whole spec folder, only the state folder, or nothing. */
  readonly missing: 'folder' | 'state' | 'nothing';
}

/**
 * Finds where an import goes; creates nothing.
 * @throws UsageError for a folder outside the work tree, or when several are possible
 */
async function findPlace(input: PlaceInput): Promise<ImportPlace> {
  const { root, cwd, flags, env } = input;
  // Variables that name a plan refer to a run's backlog, not to an import's target.
  const find = () => findWorkspace({ root, cwd, flags, env: { RALPH_ROOT: env['RALPH_ROOT'] } });
  if (flags.ralphDir !== undefined) {
    if (flags.prd !== undefined) await find();
    return absent(root, notTheState(await pathInside(root, resolve(cwd, flags.ralphDir), 'the spec folder')), 'state');
  }
  const wanted = flags.prd === undefined ? null : prdNumber(flags.prd, '--prd');
  const there = await find().catch(() => null);
  if (there !== null && there.kind !== 'classic') {
    if (there.backlog !== null) return { ...there, missing: 'nothing' };
    if (there.specDir !== 'ralph' && there.kind !== 'prd') return { ...there, missing: 'state' };
  }
  return absent(root, folderFor(wanted ?? there?.prdNumber ?? null), 'folder');
}

function folderFor(prd: number | null): string {
  return prd === null ? 'ralph' : `.ralph/PRD-${prd}`;
}

async function absent(root: string, specDir: string, missing: ImportPlace['missing']): Promise<ImportPlace> {
  await pathInside(root, posix.join(root, specDir), 'the spec folder');
  return { ...(await workspaceAt(root, specDir)), missing };
}

/** The files that {@link makePlace} may write, relative to the root. */
function filesOfPlace({ specDir, prdPath, progressPath, promptPath, missing }: ImportPlace): readonly string[] {
  if (missing === 'nothing') return [];
  const state = '.ralph/.gitignore';
  return missing === 'state' ? [state] : [state, prdPath, progressPath, promptPath, posix.join(specDir, 'tasks.json')];
}

/** Creates what is missing, as `ralph init` does. Returns the files that were created. */
async function makePlace(root: string, { prdNumber: prd, missing }: ImportPlace): Promise<readonly string[]> {
  if (missing === 'nothing') return [];
  if (missing === 'state') return (await ensureStateIgnored(root)) ? ['.ralph/.gitignore'] : [];
  const made = await scaffold({
    root,
    layout: prd === null ? 'ralph' : 'prd',
    force: false,
    ...(prd === null ? {} : { prd }),
  });
  return made.created;
}
