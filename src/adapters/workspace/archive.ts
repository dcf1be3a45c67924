import { posix } from 'node:path';
import { UsageError } from '../../contracts/index.ts';
import { exists, readText, remove, stat, writePrivate } from '../../platform/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { initialProgress, linesOf, newlineOf, sectionsOf } from '../../rules/progress.ts';
import { shellWord } from '../../rules/text/index.ts';
import { backlogText, readTemplate } from './backlog/scaffold.ts';
import { slug, type Workspace } from './layout.ts';

const FOLDER = 'ralph-archive';
const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The name of an archive: the label the user gave, else the branch's name.
 * @throws UsageError for a label that is not a valid folder name on every system
 */
export function archiveLabel(label: string | undefined, branch: string | null, name: string): string {
  if (label === undefined) return slug((branch ?? name).replace(/^ralph\//, ''));
  if (LABEL.test(label) && !label.endsWith('.') && !DEVICE.test(label)) return label;
  throw new UsageError({
    what: `'${label}' cannot be the label of an archive`,
    why: 'it becomes part of a folder name: at most 64 letters, digits, and . _ - between them',
    fix: [`--label ${slug(label)}`],
  });
}

/**
 * A free folder beside the spec folder, `ralph-archive/<date>-<label>`; the second one of a day gets `-2`, and so on.
 * @throws UsageError where `ralph-archive` is not a folder
 */
export async function freeArchiveFolder(workspace: Workspace, label: string, now: number): Promise<string> {
  const archives = posix.join(projectOf(workspace), FOLDER);
  const found = await stat(`${workspace.root}/${archives}`);
  if (found !== null && found.kind !== 'dir') throw noFolder(archives, found.kind === 'symlink');
  const base = posix.join(archives, `${new Date(now).toISOString().slice(0, 10)}-${label}`);
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`;
    if (!(await exists(`${workspace.root}/${folder}`))) return folder;
  }
}

function noFolder(path: string, isLink: boolean): UsageError {
  return new UsageError({
    what: `${path} is ${isLink ? 'a link' : 'not a folder'}`,
    where: path,
    why: isLink
      ? 'what is behind it is not part of this repository, and could not be committed'
      : 'archives are folders in it',
    fix: [`make room for a folder: mv ${shellWord(path)} ${shellWord(`${path}-old`)}`],
  });
}

/** The folder that owns the spec folder: a monorepo has several. */
function projectOf({ kind, specDir }: Workspace): string {
  if (kind === 'prd') return posix.dirname(posix.dirname(specDir));
  return kind === 'classic' ? specDir : posix.dirname(specDir);
}

/**
 * The spec folder of the next loop, as changes of files: path → text, null to delete. What outlives a loop is kept:
 * prompt template, checks, and the patterns at the top of the progress log. Only existing files are renewed.
 * @param texts as they are on disk; null for a missing file
 */
export async function freshSpec(
  workspace: Workspace,
  document: BacklogDocument,
  texts: { readonly prd: Uint8Array | null; readonly progress: Uint8Array | null },
): Promise<Readonly<Record<string, string | null>>> {
  const { project } = document.backlog;
  const progress = texts.progress === null ? null : new TextDecoder().decode(texts.progress);
  return {
    ...(texts.prd === null ? {} : { [workspace.prdPath]: await readTemplate('prd.md') }),
    ...(progress === null ? {} : { [workspace.progressPath]: freshProgress(progress, project || workspace.name) }),
    ...(document.reviewsText === null ? {} : { [document.reviewsFile]: null }),
    ...(await freshBacklog(workspace, document)),
  };
}

/** The log without its entries. */
function freshProgress(text: string, project: string): string {
  const { patterns } = sectionsOf(text);
  return patterns.length === 0 ? initialProgress(project) : [...patterns, ''].join(newlineOf(text));
}

/**
 * A native backlog without stories: a backlog in another form counts as one only with stories. In the classic layout,
 * the checklist is found by its name, so there it stays a checklist.
 */
async function freshBacklog(
  { kind }: Workspace,
  document: BacklogDocument,
): Promise<Readonly<Record<string, string | null>>> {
  if (kind === 'classic') return { [document.file]: emptyChecklist(document.text) };
  const { project, verifyCommands } = document.backlog;
  const native = posix.join(posix.dirname(document.file), 'tasks.json');
  return { [document.file]: null, [native]: await backlogText({ project: project ?? '', verifyCommands }) };
}

/** The checklist's first heading. */
function emptyChecklist(text: string): string {
  return `${linesOf(text).find((line) => /^#\s+\S/.test(line)) ?? '# Plan'}\n`;
}

/** What an archive will do, decided before it changes anything; after a crash the next run finishes it. */
type ArchiveJournal = { readonly version: 1; readonly folder: string } & (
  | { readonly phase: 'copying' }
  | { readonly phase: 'planned'; readonly plan: ArchivePlan }
);

export interface ArchivePlan {
  /** The prepared commit, which adds the archive and renews the spec folder. */
  readonly commit: string;
  /** The commit of the branch, and the branch's full name; null when detached. */
  readonly head: string;
  readonly branch: string | null;
  /** Ids whose history ends here. */
  readonly stories: readonly string[];
  /** Epoch ms. */
  readonly at: number;
  /** Files of the spec folder: path → new text, null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Their content at the time of the decision: later changes are not overwritten. */
  readonly before: Readonly<Record<string, string | null>>;
}

const FILE = 'archive.json';

/** The interrupted archive, if any. An unreadable one had made no change that only its journal records. */
export async function readArchiveJournal(stateDir: string): Promise<ArchiveJournal | null> {
  try {
    const value = JSON.parse((await readText(`${stateDir}/${FILE}`)) ?? 'null') as ArchiveJournal | null;
    return value?.version === 1 && typeof value.folder === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** Replaces it, atomically and fsynced. */
export async function writeArchiveJournal(stateDir: string, journal: ArchiveJournal): Promise<void> {
  await writePrivate(`${stateDir}/${FILE}`, `${JSON.stringify(journal)}\n`);
}

export async function removeArchiveJournal(stateDir: string): Promise<void> {
  await remove(`${stateDir}/${FILE}`);
}
