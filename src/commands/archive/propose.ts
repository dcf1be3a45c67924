import { posix } from 'node:path';
import type { Git } from '../../adapters/git/port.ts';
import { archiveLabel, freeArchiveFolder } from '../../adapters/workspace/archive/folder.ts';
import { freshSpec } from '../../adapters/workspace/archive/fresh.ts';
import { loadOrThrow, MOST_BACKLOG_BYTES } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { Story } from '../../contracts/model.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { readReceipts } from '../../rules/backlog/reviews/reviews.ts';
import { collectEvidence } from '../../rules/evidence/collect.ts';
import { summaryMarkdown } from '../../rules/evidence/summary.ts';
import { shellWord } from '../../rules/shell-word.ts';

/** What an archive would do. Paths are relative to the work tree. */
export interface Proposal {
  readonly folder: string;
  readonly stories: readonly Story[];
  /** Those that are not done. */
  readonly open: readonly Story[];
  /** Files of the archive but its summary: path → bytes. */
  readonly copies: Readonly<Record<string, Uint8Array>>;
  /** Files of the spec folder: path → new text, null deletes. */
  readonly renewed: Readonly<Record<string, string | null>>;
  /** What they hold now. */
  readonly before: Readonly<Record<string, string | null>>;
  /** Text of `summary.md`, given the commit that the loop left. */
  summary(head: string): string;
}

/**
 * Looks at a loop that may be put aside; changes nothing.
 * @throws UsageError when there is nothing to archive, or a file of it cannot be read
 */
export async function propose(
  git: Git,
  workspace: Workspace,
  wanted: { readonly label: string | undefined; readonly now: number },
): Promise<Proposal> {
  const { document } = await loadOrThrow(workspace);
  if (document.format === 'prompt') throw lonePrompt(document.file);
  const { backlog, file, reviewsFile } = document;
  if (backlog.stories.length === 0) throw nothingThere(file);
  const branch = backlog.branchName || (await git.currentBranch());
  const label = archiveLabel(wanted.label, branch, workspace.name);
  const folder = await freeArchiveFolder(workspace, label, wanted.now);

  const paths = [workspace.prdPath, file, workspace.progressPath, reviewsFile];
  const found = new Map(await Promise.all(paths.map(async (path) => [path, await bytesOf(git, path)] as const)));
  const at = (path: string) => found.get(path) ?? null;
  const renewed = await freshSpec(workspace, document, {
    prd: at(workspace.prdPath),
    progress: at(workspace.progressPath),
  });
  const [ledger, rescues] = await Promise.all([readLedger(git.repo.stateDir), git.rescues()]);
  const evidence = collectEvidence(backlog, readReceipts(document.reviewsText), ledger);
  const ids = new Set(backlog.stories.map(({ id }) => id));
  const runs = new Set(ledger.flatMap((line) => (line.kind === 'iteration' && ids.has(line.story) ? [line.run] : [])));
  const facts = {
    label: posix.basename(folder),
    project: backlog.project,
    branch,
    archivedAt: wanted.now,
    rescues: rescues.filter(({ name }) => runs.has(name.split('/')[0] ?? '')),
  };
  return {
    folder,
    stories: backlog.stories,
    open: backlog.stories.filter(({ passes }) => !passes),
    copies: Object.fromEntries(
      [...found].flatMap(([path, bytes]) => (bytes === null ? [] : [[`${folder}/${posix.basename(path)}`, bytes]])),
    ),
    renewed,
    before: Object.fromEntries(Object.keys(renewed).map((path) => [path, textOf(at(path))])),
    summary: (head) => summaryMarkdown({ ...facts, head }, evidence),
  };
}

/** The bytes of a file of the work tree, which an agent may have replaced; null when it is not there. */
async function bytesOf({ repo }: Git, path: string): Promise<Uint8Array | null> {
  const found = await readInside(repo.root, path, MOST_BACKLOG_BYTES);
  if (found.bytes !== null || found.why === null) return found.bytes;
  throw new UsageError({
    what: `${path} cannot be archived`,
    why: `the file ${found.why}`,
    mend: [`put it back: git checkout -- ${shellWord(path)}`],
  });
}

/** As it is compared after a crash; bytes that are no text differ from it only where they are no text. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

function lonePrompt(file: string): UsageError {
  return new UsageError({
    what: 'there is no backlog to archive',
    where: file,
    why: 'a lone prompt has no stories that could be done, and it is the template of the next loop, too',
    mend: ['git keeps what the loop made; change the prompt for the next one'],
  });
}

function nothingThere(file: string): UsageError {
  return new UsageError({
    what: 'there is nothing to archive',
    where: file,
    why: 'the backlog has no stories',
    mend: ['`ralph plan` or `ralph stories add` fills it'],
  });
}
