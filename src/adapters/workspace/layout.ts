import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { type BacklogFormat, type Env, UsageError } from '../../contracts/index.ts';
import { exists, list, realPath, stat } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { STATE_FOLDER } from './paths.ts';
import { refuseOddStateFolder } from './records/state-folder.ts';

/** A project root with its spec folder. Paths are relative to the root and use `/`. */
export interface Workspace extends SpecFiles {
  /** Absolute, symbolic links resolved: the git work tree. */
  readonly root: string;
  /** `ralph`: a folder like `ralph/`; `prd`: `.ralph/PRD-N/`; `classic`: a lone `PROMPT.md`. */
  readonly kind: 'ralph' | 'prd' | 'classic';
  readonly specDir: string;
  readonly prdNumber: number | null;
  /** Files and folders of plugins, relative to the root; absent when the configuration was not read. */
  readonly hostFiles?: readonly string[];
  /** For the branch `ralph/<name>` when the backlog names none. */
  readonly name: string;
}

interface FindInput {
  /** The git work tree, absolute, symbolic links resolved. */
  readonly root: string;
  readonly cwd: string;
  readonly flags: { readonly ralphDir?: string; readonly prd?: string | number; readonly projectDir?: string };
  readonly env: Env;
}

/**
 * Finds the spec folder: by flag, else by environment (`PRD_NUMBER`, `PLAN_PATH`, `PROGRESS_PATH`), else `ralph/`, the
 * only `.ralph/PRD-N`, `.ralph/PRD-1`, a lone `PROMPT.md` – in the starting folder, then in each above it up to the
 * work tree's root. The starting folder is `--project-dir`, `RALPH_ROOT` or the current directory.
 * @throws UsageError when there is none, or when several are possible.
 */
export async function findWorkspace(input: FindInput): Promise<Workspace> {
  const { root, cwd, flags, env } = input;
  await refuseOddStateFolder(root);
  const start = await pathInside(
    root,
    resolve(cwd, flags.projectDir ?? (env['RALPH_ROOT'] || '.')),
    'the project folder',
  );
  const bases = upwards(start);
  if (flags.prd !== undefined && flags.ralphDir !== undefined) {
    throw new UsageError({ what: '--prd and --ralph-dir both name a spec folder', fix: ['use one of them'] });
  }
  if (flags.prd !== undefined) return numbered(root, bases, prdNumber(String(flags.prd), '--prd'));
  if (flags.ralphDir !== undefined) return workspaceAt(root, await chosenFolder(root, resolve(cwd, flags.ralphDir)));
  return (await byEnvironment(root, cwd, bases, env)) ?? (await bySearch(root, bases));
}

async function byEnvironment(root: string, cwd: string, bases: readonly string[], env: Env): Promise<Workspace | null> {
  const { PRD_NUMBER: prd, PLAN_PATH: plan, PROGRESS_PATH: progress } = env;
  if (!prd && !plan && !progress) return null;
  const backlog = plan ? await chosenBacklog(root, resolve(cwd, plan)) : null;
  const workspace = prd
    ? await numbered(root, bases, prdNumber(prd, 'PRD_NUMBER'), backlog)
    : backlog !== null
      ? await workspaceAt(root, posix.dirname(backlog.path), backlog)
      : await bySearch(root, bases);
  return progress
    ? { ...workspace, progressPath: await pathInside(root, resolve(cwd, progress), 'PROGRESS_PATH') }
    : workspace;
}

async function bySearch(root: string, bases: readonly string[]): Promise<Workspace> {
  for (const base of bases) {
    const found = (await defaultFolder(root, base)) ?? (await onlyNumbered(root, base)) ?? (await classic(root, base));
    if (found !== null) return found;
  }
  throw await nothingFound(root, bases[0] ?? '.');
}

async function defaultFolder(root: string, base: string): Promise<Workspace | null> {
  const folder = posix.join(base, 'ralph');
  const { isSpec, ...files } = await readSpecFolder(root, folder);
  if (!isSpec) return null;
  // The folder may be a link, and git has the files under its real path.
  const real = await pathInside(root, posix.join(root, folder), 'the spec folder');
  const { name } = workspaceOf(root, folder, files);
  return real === folder ? workspaceOf(root, folder, files) : { ...(await workspaceAt(root, real)), name };
}

async function onlyNumbered(root: string, base: string): Promise<Workspace | null> {
  const numbers = await prdNumbers(root, base);
  if (numbers.length > 1 && !numbers.includes(1)) {
    throw new UsageError({
      what: `several spec folders: ${numbers.map((n) => `PRD-${n}`).join(', ')}`,
      where: posix.join(base, STATE_FOLDER),
      why: 'without a PRD-1 ralph cannot choose one',
      fix: [`choose one: \`--prd ${numbers[0]}\``],
    });
  }
  const number = numbers.includes(1) ? 1 : numbers[0];
  return number === undefined ? null : workspaceAt(root, posix.join(base, STATE_FOLDER, `PRD-${number}`));
}

/** The first loops' layout: the template is `PROMPT.md`, the backlog a checklist beside it, or `PROMPT.md` itself. */
async function classic(root: string, base: string): Promise<Workspace | null> {
  if (!(await list(posix.join(root, base))).includes('PROMPT.md')) return null;
  const { isSpec: _, ...files } = await readSpecFolder(root, base);
  const lone: BacklogFile = { path: posix.join(base, 'PROMPT.md'), format: 'prompt' };
  const backlog = files.backlog !== null && /fix_plan\.md$/.test(files.backlog.path) ? files.backlog : lone;
  return { ...workspaceOf(root, base, files), kind: 'classic', backlog };
}

async function numbered(
  root: string,
  bases: readonly string[],
  number: number,
  backlog: BacklogFile | null = null,
): Promise<Workspace> {
  for (const base of bases) {
    const folder = posix.join(base, STATE_FOLDER, `PRD-${number}`);
    if (await exists(posix.join(root, folder))) return workspaceAt(root, folder, backlog);
  }
  const others = (await Promise.all(bases.map((base) => prdNumbers(root, base)))).flat();
  throw new UsageError({
    what: `there is no ${STATE_FOLDER}/PRD-${number}`,
    ...(others.length > 0 ? { where: `found: ${others.map((n) => `PRD-${n}`).join(', ')}` } : {}),
    fix: [`\`ralph init --prd ${number}\` creates it`],
  });
}

/** The spec folder at a path, whether or not anything is there. */
export async function workspaceAt(
  root: string,
  folder: string,
  backlog: BacklogFile | null = null,
): Promise<Workspace> {
  const { isSpec: _, ...files } = await readSpecFolder(root, folder, backlog);
  return workspaceOf(root, folder, files);
}

function workspaceOf(root: string, specDir: string, files: SpecFiles): Workspace {
  const number = numberOf(specDir);
  const owner =
    posix.basename(specDir) === 'ralph' || specDir === '.'
      ? posix.basename(posix.join(root, posix.dirname(specDir)))
      : posix.basename(specDir);
  return {
    ...files,
    root,
    kind: number === null ? 'ralph' : 'prd',
    specDir,
    prdNumber: number,
    name: number === null ? slug(owner) : `prd-${number}`,
  };
}

/** A word that is valid in a branch name. */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    // Combining marks that NFKD split off: an umlaut becomes its vowel.
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  return plain === '' ? 'loop' : plain;
}

async function prdNumbers(root: string, base: string): Promise<readonly number[]> {
  const names = await list(posix.join(root, base, STATE_FOLDER));
  return names.flatMap((name) => numberOf(`${STATE_FOLDER}/${name}`) ?? []).sort((a, b) => a - b);
}

/** The number in a folder name `.ralph/PRD-N`. */
export function numberOf(folder: string): number | null {
  const match = /(?:^|\/)\.ralph\/PRD-([1-9]\d{0,8})$/.exec(folder);
  return match === null ? null : Number(match[1]);
}

/** Digits only, so that it can never form a path. */
export function prdNumber(text: string, source: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError({ what: `${source} must be a positive whole number, not '${text}'` });
}

async function chosenFolder(root: string, path: string): Promise<string> {
  await requireFolder(path, 'the spec folder');
  return notTheState(await pathInside(root, path, 'the spec folder'));
}

/** @throws UsageError for the loop's state folder */
export function notTheState(folder: string): string {
  if (posix.basename(folder) !== STATE_FOLDER) return folder;
  throw new UsageError({
    what: `${folder} cannot be the spec folder`,
    why: 'git ignores what the loop keeps there, so the backlog would never be committed',
    fix: [`move the backlog: \`git mv ${shellWord(`${folder}/BACKLOG`)} ralph/\``, `or number it: ${folder}/PRD-1/`],
  });
}

async function chosenBacklog(root: string, path: string): Promise<BacklogFile> {
  const inside = await pathInside(root, path, 'PLAN_PATH');
  const format = formatOf(inside);
  if (format === null) {
    throw new UsageError({
      what: `PLAN_PATH names '${inside}', which is not a backlog`,
      fix: ['name a .json or .md file'],
    });
  }
  if (!(await exists(posix.join(root, inside)))) {
    throw new UsageError({
      what: `PLAN_PATH names '${inside}', which does not exist`,
      fix: ['correct it, or unset it to have the backlog found'],
    });
  }
  return { path: inside, format };
}

/** No spec folder is here; one may be on another branch. */
export class NoSpecFolder extends UsageError {}

async function nothingFound(root: string, start: string): Promise<NoSpecFolder> {
  const seen: string[] = [];
  for (const folder of new Set([start, '.', 'scripts/ralph'])) {
    const { backlog } = await readSpecFolder(root, folder);
    if (backlog !== null)
      seen.push(`${backlog.path} is not looked for where it is: \`--ralph-dir ${folder}\` works on it in place`);
  }
  return new NoSpecFolder({
    what: 'there are no stories here yet',
    where: await realPath(posix.join(root, start)),
    why: 'neither ralph/ nor .ralph/PRD-N/ with a backlog or prd.md, nor a PROMPT.md, is here or above',
    fix: ['ralph init', 'or for one task: ralph "Fix the login"', 'or for a plan: ralph plan "what you want"', ...seen],
  });
}

/** A folder and its parents, down to `.`: `a/b` → `a/b`, `a`, `.`. */
export function upwards(folder: string): readonly string[] {
  const above = [folder];
  for (let at = folder; at !== '.'; at = posix.dirname(at)) above.push(posix.dirname(at));
  return above;
}

/**
 * A path from a user, relative to the work tree, with `/` (`.` for the root itself). It need not exist.
 * @param label the path's role, for the message
 * @throws UsageError when it lies outside: the loop commits what it works on, and only inside the work tree.
 */
export async function pathInside(root: string, path: string, label: string): Promise<string> {
  const inside = relative(root, await resolved(path));
  if (inside === '') return '.';
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return inside.split(sep).join('/');
  throw new UsageError({
    what: `${label} is outside the work tree`,
    where: path,
    why: `ralph commits its files with the work, and the work tree is ${root}`,
    fix: ['name a path inside it, or start ralph in the other repository'],
  });
}

/** @throws UsageError when there is no folder at this path. */
async function requireFolder(path: string, label: string): Promise<void> {
  const real = await realPath(path).catch(() => null);
  if (real !== null && (await stat(real))?.kind === 'dir') return;
  throw new UsageError({
    what: `${label} '${basename(path)}' ${real === null ? 'does not exist' : 'is not a folder'}`,
    where: dirname(path),
    fix: ['correct the path', '`ralph init` makes a spec folder'],
  });
}

/** Links resolved as far as the path exists. */
async function resolved(path: string): Promise<string> {
  const real = await realPath(path).catch(() => null);
  const parent = dirname(path);
  if (real !== null || parent === path) return real ?? path;
  return join(await resolved(parent), basename(path));
}

interface BacklogFile {
  readonly path: string;
  readonly format: BacklogFormat;
}

/** The files of a spec folder; paths relative to the work tree. Only the backlog is known to exist. */
export interface SpecFiles {
  readonly backlog: BacklogFile | null;
  readonly prdPath: string;
  readonly progressPath: string;
  readonly promptPath: string;
  readonly reviewsPath: string;
}

/** Where backlogs are by default, for a look at other branches: path and format. */
export function usualBacklogs(): readonly (BacklogFile & { readonly specDir: string })[] {
  const folders = ['ralph', ...Array.from({ length: 9 }, (_, i) => `${STATE_FOLDER}/PRD-${i + 1}`)];
  return folders.flatMap((specDir) =>
    BACKLOGS.flatMap(({ names, format }) => names.map((name) => ({ specDir, path: `${specDir}/${name}`, format }))),
  );
}

/** The first match wins; names in one row have equal precedence, so with two of them a person must choose. */
const BACKLOGS: readonly { readonly names: readonly string[]; readonly format: BacklogFormat }[] = [
  { names: ['tasks.json'], format: 'tasks-json' },
  { names: ['prd.json'], format: 'prd-json' },
  { names: ['plan.md'], format: 'markdown' },
  { names: ['@fix_plan.md', 'fix_plan.md'], format: 'markdown' },
];

/** What marks a folder as a spec folder besides a backlog. A mere `ralph/` may contain a user's source code. */
const SPEC_MARKS = ['prd.md', 'prompt.md', 'PROMPT.md'];

/**
 * Reads a folder's spec files.
 * @param folder relative to `root`, `.` for the root itself
 * @param chosen the backlog, when the user named one
 * @returns the files, and whether any of them makes this a spec folder
 * @throws UsageError for two backlogs of equal precedence.
 */
export async function readSpecFolder(
  root: string,
  folder: string,
  chosen: BacklogFile | null = null,
): Promise<SpecFiles & { readonly isSpec: boolean }> {
  const names = new Set(await list(posix.join(root, folder)));
  const backlog = chosen ?? backlogIn(folder, names);
  const at = (wanted: string, other: string) =>
    posix.join(folder, !names.has(wanted) && names.has(other) ? other : wanted);
  return {
    isSpec: backlog !== null || SPEC_MARKS.some((name) => names.has(name)),
    backlog,
    prdPath: at('prd.md', 'PRD.md'),
    progressPath: numberOf(folder) === null ? at('progress.txt', 'progress.md') : at('progress.md', 'progress.txt'),
    promptPath: at('prompt.md', 'PROMPT.md'),
    reviewsPath: posix.join(folder, 'reviews.json'),
  };
}

/** The format that a backlog's name implies; null when it is not the name of a backlog. */
function formatOf(path: string): BacklogFormat | null {
  const name = posix.basename(path).toLowerCase();
  if (name === 'tasks.json') return 'tasks-json';
  if (name.endsWith('.json')) return 'prd-json';
  return name.endsWith('.md') ? 'markdown' : null;
}

function backlogIn(folder: string, names: ReadonlySet<string>): BacklogFile | null {
  for (const { names: candidates, format } of BACKLOGS) {
    const found = candidates.filter((name) => names.has(name)).map((name) => posix.join(folder, name));
    if (found.length > 1) {
      throw new UsageError({
        what: `two backlogs of equal precedence: ${found.join(' and ')}`,
        where: folder,
        fix: ['keep one of them', `PLAN_PATH=${found[0]} chooses one`],
      });
    }
    if (found[0] !== undefined) return { path: found[0], format };
  }
  return null;
}
