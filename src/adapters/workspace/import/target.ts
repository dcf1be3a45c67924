import { posix } from 'node:path';
import { UsageError } from '../../../contracts/errors.ts';
import { copy, readText } from '../../../platform/files/files.ts';
import { isEmptyBacklog } from '../../../rules/import/to-native.ts';
import { initialProgress } from '../../../rules/progress/initial.ts';
import { writeFiles } from '../backlog/document.ts';
import { readTemplate } from '../backlog/template-files.ts';
import { detectChecks } from '../config/detect-checks.ts';
import { slug } from '../layout.ts';
import { refuseUnwritable } from './check.ts';
import { filesOfPlace, findPlace, type ImportPlace, makePlace, type PlaceInput } from './place.ts';

/** Where an import goes; paths relative to the root. */
export interface ImportTarget {
  readonly root: string;
  readonly specDir: string;
  readonly tasksPath: string;
  readonly prdPath: string;
  readonly progressPath: string;
  /** The backlog that is read there now, when it has stories; null when there is nothing to lose. */
  readonly inUse: string | null;
  /** What an empty `tasks.json` there says already. */
  readonly project: string;
  /** null when it says none: see {@link branchFor}. */
  readonly branchName: string | null;
  readonly verifyCommands: readonly string[];
  /** Where editors find the JSON Schema. */
  readonly schema: string | null;
  /** Text of the `tasks.json` that is there; null when there is none. */
  readonly text: string | null;
  readonly place: ImportPlace;
}

/**
 * The spec folder for an import. Nothing is written: what is missing is made when something goes into it.
 * @throws UsageError for a folder outside of the work tree, or when it would be a guess between several
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
 * The branch of a backlog that names none: by its project, else by the folder of the repository.
 * @param project as the imported file calls it; null when it does not
 */
export function branchFor({ root, branchName, place }: ImportTarget, project: string | null): string {
  const folder = slug(posix.basename(root));
  const name =
    project !== null && /[a-z0-9]/i.test(project) && !PLAIN_NAMES.has(slug(project)) ? slug(project) : folder;
  return branchName ?? `ralph/${name}${place.prdNumber === null ? '' : `-prd-${place.prdNumber}`}`;
}

/** Headings of plans rather than names of projects. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(
  'ralph tasks task change changes plan prd todo todos to-do backlog project fix-plan implementation-plan roadmap'.split(
    ' ',
  ),
);

export interface ImportedFiles {
  readonly tasks: string;
  /** Texts for people; the first becomes the PRD where there is none, the others stand beside it. */
  readonly prose: readonly { readonly name: string; readonly text: string }[];
  /** Other files, relative to the root. */
  readonly beside: Readonly<Record<string, string>>;
}

/**
 * Writes what was imported, and what was missing of the spec folder; all of it or nothing.
 * @param stamp part of the names of backups
 * @returns paths that were written, and those of backups
 * @throws UsageError when a backlog with stories would be replaced and `force` is not set, or a file cannot be written
 */
export async function writeImport(
  target: ImportTarget,
  files: ImportedFiles,
  {
    force,
    repair,
    source,
    stamp,
  }: { readonly force: boolean; readonly repair: boolean; readonly source: string | null; readonly stamp: string },
): Promise<{ readonly written: readonly string[]; readonly backups: readonly string[] }> {
  const { root, tasksPath, inUse, place } = target;
  // What was read may be what a run works on: then nothing is lost, unless it is the very file that would be written.
  // A backlog that is repaired in its place is the one exception: nothing could work on it as it was.
  const isRepaired = repair && inUse === source;
  if (inUse !== null && !force && !isRepaired && (inUse === tasksPath || inUse !== source))
    throw inTheWay(target, source);
  const backup = inUse === tasksPath ? `${tasksPath}.bak-${stamp}` : null;
  const backups = backup === null ? [] : [backup];
  const prdIsFree = await hasNoPrd(target);
  const prose = files.prose.map(({ name, text }, index): [string, string] => [
    prdIsFree && index === 0 ? target.prdPath : posix.join(target.specDir, name),
    text,
  ]);
  const all = { [tasksPath]: files.tasks, ...Object.fromEntries(prose), ...files.beside };
  await refuseUnwritable(root, [...filesOfPlace(place), ...Object.keys(all), ...backups]);
  const created = await makePlace(root, place);
  if (backup !== null) await copy(`${root}/${tasksPath}`, `${root}/${backup}`);
  await writeFiles(root, all);
  return { written: [...new Set([...created, ...Object.keys(all)])], backups };
}

function inTheWay({ inUse, tasksPath }: ImportTarget, source: string | null): UsageError {
  const isItself = inUse === source;
  return new UsageError({
    what: isItself ? `${inUse} is the backlog already` : `${inUse} has stories`,
    where: inUse ?? tasksPath,
    why: isItself
      ? 'it is worked on where it is, nothing has to be imported'
      : `${tasksPath} would be read instead of it, and its stories would be forgotten`,
    mend: [
      ...(isItself ? ['work on it as it is: ralph validate, then ralph run'] : []),
      'import all the same: --force (a tasks.json that is replaced is kept as .bak-<time>)',
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

/** The progress log as it is; a new one when there is none. */
export async function readProgress({ root, progressPath, project }: ImportTarget): Promise<string> {
  return (await readText(`${root}/${progressPath}`)) ?? initialProgress(project);
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
