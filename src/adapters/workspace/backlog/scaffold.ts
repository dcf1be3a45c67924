import { posix } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { jsonObject, UsageError } from '../../../contracts/index.ts';
import {
  type Clock,
  copy,
  exists,
  list,
  packageFolder,
  readText,
  systemClock,
  writeAtomic,
} from '../../../platform/index.ts';
import { initialProgress } from '../../../rules/progress.ts';
import { detectChecks } from '../config/detect-checks.ts';
import { readSpecFolder, slug } from '../layout.ts';
import { ensureStateIgnored } from '../records/state-folder.ts';

interface ScaffoldInput {
  readonly root: string;
  /** Sets the branch `ralph/<name>`; default: the project's name, or the PRD's. */
  readonly name?: string;
  readonly layout: 'ralph' | 'prd';
  /** Number of the spec folder under the layout `prd`; default 1. */
  readonly prd?: number;
  /** Replace existing files, keeping each as `<file>.bak-<time>`. */
  readonly force: boolean;
  /** The user's current folder, absolute: searched for checks when the root has none. */
  readonly from?: string;
  readonly clock?: Clock;
}

/** Paths relative to the root. */
export interface Scaffolded {
  readonly specDir: string;
  readonly created: readonly string[];
  /** Files that already existed and are unchanged. */
  readonly kept: readonly string[];
  /** Copies of what `force` replaced. */
  readonly backups: readonly string[];
  /** The project's checks that were found and written as `verifyCommands`. */
  readonly checks: readonly string[];
}

/**
 * Makes a spec folder and the state folder's `.gitignore`. Nothing is overwritten.
 * @throws UsageError for a name that is not valid for a branch.
 */
export async function scaffold(input: ScaffoldInput): Promise<Scaffolded> {
  const { root, force, layout } = input;
  const specDir = layout === 'prd' ? `.ralph/PRD-${input.prd ?? 1}` : 'ralph';
  const project = posix.basename(root);
  // Two PRDs are two branches: each may become a stream.
  const byDefault = layout === 'prd' ? `prd-${input.prd ?? 1}` : slug(project);
  const branchName = `ralph/${input.name === undefined ? byDefault : branchPart(input.name)}`;
  const checks = await detectChecks(root, input.from);
  const found = await readSpecFolder(root, specDir);
  const wanted: readonly (readonly [string, string])[] = [
    [found.prdPath, await readTemplate('prd.md')],
    // A backlog in another form counts as well: a tasks.json beside it would take precedence.
    [
      found.backlog?.path ?? `${specDir}/tasks.json`,
      await backlogText({ project, branchName, verifyCommands: checks }),
    ],
    [found.progressPath, initialProgress(project)],
    [found.promptPath, await readTemplate('prompt.md')],
  ];

  const created: string[] = [];
  const kept: string[] = [];
  const backups: string[] = [];
  const there = new Set((await list(`${root}/${specDir}`)).map((name) => `${specDir}/${name}`));
  for (const [path, text] of wanted) {
    // A backlog in another form is never replaced by a native one under its name.
    const replaceable = force && (path !== found.backlog?.path || found.backlog.format === 'tasks-json');
    if (there.has(path) && !replaceable) {
      const isRenamed = input.name !== undefined && (await rename(`${root}/${path}`, branchName));
      (isRenamed ? created : kept).push(path);
      continue;
    }
    if (there.has(path)) backups.push(await backUp(root, path, input.clock));
    await writeAtomic(`${root}/${path}`, text);
    created.push(path);
  }
  ((await ensureStateIgnored(root)) ? created : kept).push('.ralph/.gitignore');
  return { specDir, created, kept, backups, checks };
}

/** Copies a file that is about to be replaced to a free name beside it. @returns the copy's path, relative to the root */
export async function backUp(root: string, path: string, clock: Clock = systemClock): Promise<string> {
  const name = `${path}.bak-${new Date(clock.now()).toISOString().replace(/[-:]|\.\d+Z$/g, '')}`;
  let backup = name;
  for (let n = 2; await exists(`${root}/${backup}`); n += 1) backup = `${name}-${n}`;
  await copy(`${root}/${path}`, `${root}/${backup}`);
  return backup;
}

/** A backlog without stories, as `ralph archive` leaves it, takes the branch that was asked for. */
async function rename(path: string, branchName: string): Promise<boolean> {
  const text = await readText(path);
  const backlog = text === null ? null : jsonObject(text);
  const stories = backlog?.['userStories'];
  if (text === null || !Array.isArray(stories) || stories.length > 0 || backlog?.['branchName'] === branchName)
    return false;
  await writeAtomic(path, withBranch(text, branchName));
  return true;
}

/** The text of a native backlog, for another branch. */
export function withBranch(text: string, branchName: string): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(text, modify(text, ['branchName'], branchName, { formattingOptions }));
}

/** The text of a native backlog without stories. */
export async function backlogText(values: object): Promise<string> {
  const template: object = JSON.parse(await readTemplate('tasks.json'));
  return `${JSON.stringify({ ...template, ...values }, null, 2)}\n`;
}

/** Stricter than git's own rule for branch names, so that the name is harmless wherever it appears. */
function branchPart(name: string): string {
  const ok =
    /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(name) && !/\.\.|\.lock(\/|$)|\.$/.test(name);
  if (ok) return name;
  throw new UsageError({
    what: `'${name}' cannot be part of a branch name`,
    why: 'the work goes to the branch ralph/<name>: letters, digits, and . _ - / between them',
    fix: [`--name ${slug(name)}`],
  });
}

/** The text of a template file that `ralph init` writes. */
export async function readTemplate(name: 'prd.md' | 'prompt.md' | 'tasks.json'): Promise<string> {
  const path = `${await packageFolder()}/templates/${name}`;
  const text = await readText(path);
  if (text === null) throw new Error(`${path} is not a file`);
  return text;
}
