import { posix } from 'node:path';
import { type ApplyOutcome, ARCHIVED_TRAILER, type Git } from '../../adapters/git/index.ts';
import {
  type ArchivePlan,
  appendLedger,
  archiveLabel,
  archiveLine,
  freeArchiveFolder,
  freshSpec,
  loadOrThrow,
  MOST_BACKLOG_BYTES,
  readArchiveJournal,
  readLedger,
  readSteering,
  removeArchiveJournal,
  type Workspace,
  writeArchiveJournal,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import { type Config, GitRefusal, LEDGER_VERSION, UsageError } from '../../contracts/index.ts';
import { crashpoint, readInside, remove, stat } from '../../platform/index.ts';
import { readReceipts } from '../../rules/backlog/index.ts';
import { collectEvidence, summaryMarkdown } from '../../rules/evidence/index.ts';
import { bookkeepingMessage } from '../../rules/judge/index.ts';
import { shellWord } from '../../rules/text/index.ts';

/**
 * Archives a loop in one commit. The archive is written and the commit prepared before anything else changes; from then
 * on a journal records the remaining steps, so that the next command after a crash can finish them.
 * @returns the commit
 */
export async function carryOut(git: Git, config: Config, proposal: Proposal, now: number): Promise<string> {
  const { root, stateDir } = git.repo;
  const { folder, copies, renewed, before, stories } = proposal;
  const checkpoint = await git.checkpoint('archive');
  await writeArchiveJournal(stateDir, { version: 1, folder, phase: 'copying' });
  const archive = { ...copies, [`${folder}/summary.md`]: proposal.summary(checkpoint.head) };
  await writeFiles(root, archive);
  crashpoint('archive-copied');
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const prepared = await git.prepareCommit({
    checkpoint,
    paths: Object.keys(archive),
    files: renewed,
    subject: bookkeepingMessage(config, '', `archive ${name}`).subject,
    body: '',
    trailers: stories.map(({ safeId }) => [ARCHIVED_TRAILER, safeId] as const),
    date: now,
    // A bookkeeping commit carries no work.
    hooks: false,
    runHook: () => Promise.resolve({ exitCode: 0, output: '' }),
    guestHooks: false,
    sign: config.commit.sign,
    mayHoldSecrets: true,
  });
  if (prepared.kind !== 'prepared') throw new Error(`the commit of an archive is ${prepared.kind}`);
  const plan: ArchivePlan = {
    commit: prepared.commit,
    head: checkpoint.head,
    branch: checkpoint.branch,
    stories: stories.map(({ id }) => id),
    at: now,
    files: renewed,
    before,
  };
  await writeArchiveJournal(stateDir, { version: 1, folder, phase: 'planned', plan });
  await apply(git, folder, plan);
  return prepared.commit;
}

interface Finished {
  readonly folder: string;
  /** null: not finished, because work on the old stories has continued since. */
  readonly commit: string | null;
}

/** Finishes an interrupted archive, or undoes what it began; null when there is none. */
export async function finishCutOff(git: Git): Promise<Finished | null> {
  const { root, stateDir } = git.repo;
  const journal = await readArchiveJournal(stateDir);
  if (journal === null) return null;
  const { folder } = journal;
  if (journal.phase === 'copying') {
    // It holds only copies: the folder did not exist before the archive began.
    if (isArchive(folder) && (await stat(`${root}/${posix.dirname(folder)}`))?.kind === 'dir') {
      await remove(`${root}/${folder}`);
    }
    await removeArchiveJournal(stateDir);
    return null;
  }
  const { plan } = journal;
  if (await wentOn(git, plan)) {
    await removeArchiveJournal(stateDir);
    return { folder, commit: null };
  }
  await apply(git, folder, plan);
  return { folder, commit: plan.commit };
}

/** Each step can be repeated safely. The ledger comes first: fresh stories never meet the history of the old ones. */
async function apply(git: Git, folder: string, plan: ArchivePlan): Promise<void> {
  const { root, stateDir } = git.repo;
  crashpoint('archive-planned');
  await closeHistory(stateDir, folder, plan);
  crashpoint('archive-closed');
  await writeFiles(root, plan.files);
  crashpoint('archive-renewed');
  const applied = await moveBranch(git, plan);
  crashpoint('archive-committed');
  await removeArchiveJournal(stateDir);
  if (applied !== 'moved-by-someone') return;
  throw new GitRefusal({
    what: 'the archive was made, but not committed',
    where: folder,
    why: 'the branch moved in the meantime',
    fix: [`commit it yourself: git add ${[folder, ...Object.keys(plan.files)].map(shellWord).join(' ')} && git commit`],
  });
}

async function closeHistory(stateDir: string, folder: string, { stories, at }: ArchivePlan): Promise<void> {
  await appendLedger(stateDir, archiveLine(stories, folder.slice(folder.lastIndexOf('/') + 1), at));
  // Steering about an old story that no run has read yet is not meant for a new story with the same id.
  const entries = await readSteering(stateDir);
  const said = new Set(entries.flatMap((entry) => ('story' in entry ? [entry.story] : [])));
  for (const story of stories.filter((id) => said.has(id))) {
    await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'reset', story, at });
  }
}

async function moveBranch(git: Git, { head, branch, commit }: ArchivePlan): Promise<ApplyOutcome> {
  // The index as it is now: the user may have staged something since the plan was made.
  const now = await git.checkpoint('archive');
  if (now.branch !== branch) return 'moved-by-someone';
  return git.applyCommit({ checkpoint: { ...now, head }, commit, agentHead: head });
}

/** Whether the branch, or a file to be renewed, is in neither its old nor its new state. */
async function wentOn(git: Git, { head, branch, commit, files, before }: ArchivePlan): Promise<boolean> {
  const now = await git.checkpoint('archive');
  if (now.branch !== branch || (now.head !== head && now.head !== commit)) return true;
  for (const [path, text] of Object.entries(files)) {
    const { bytes } = await readInside(git.repo.root, path, MOST_BACKLOG_BYTES);
    const is = textOf(bytes);
    if (is !== text && is !== (before[path] ?? null)) return true;
  }
  return false;
}

function isArchive(folder: string): boolean {
  const parts = folder.split('/');
  return parts.at(-2) === 'ralph-archive' && parts.every((part) => part !== '' && part !== '..' && part !== '.git');
}

export type Proposal = Awaited<ReturnType<typeof propose>>;

/**
 * What an archive of this loop would do; changes nothing. Paths are relative to the work tree.
 * @throws UsageError when there is nothing to archive, or one of its files cannot be read
 */
export async function propose(
  git: Git,
  workspace: Workspace,
  wanted: { readonly label: string | undefined; readonly now: number },
) {
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
    /** Files of the archive except its summary: path → bytes. */
    copies: Object.fromEntries(
      [...found].flatMap(([path, bytes]) => (bytes === null ? [] : [[`${folder}/${posix.basename(path)}`, bytes]])),
    ),
    /** Files of the spec folder: path → new text, null deletes; and their current content. */
    renewed,
    before: Object.fromEntries(Object.keys(renewed).map((path) => [path, textOf(at(path))])),
    /** Text of `summary.md`, given the last commit of the loop. */
    summary: (head: string) => summaryMarkdown({ ...facts, head }, evidence),
  };
}

/** The bytes of a file in the work tree, which an agent may have replaced; null when it does not exist. */
async function bytesOf({ repo }: Git, path: string): Promise<Uint8Array | null> {
  const found = await readInside(repo.root, path, MOST_BACKLOG_BYTES);
  if (found.bytes !== null || found.why === null) return found.bytes;
  throw new UsageError({
    what: `${path} cannot be archived`,
    why: `the file ${found.why}`,
    fix: [`put it back: git checkout -- ${shellWord(path)}`],
  });
}

/** The form compared after a crash; binary bytes differ from it only where they are not valid text. */
function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

function lonePrompt(file: string): UsageError {
  return new UsageError({
    what: 'there is no backlog to archive',
    where: file,
    why: 'a PROMPT.md without a backlog has no stories to archive',
    fix: ['git keeps the work; change the prompt for the next loop'],
  });
}

function nothingThere(file: string): UsageError {
  return new UsageError({
    what: 'there is nothing to archive',
    where: file,
    why: 'the backlog has no stories',
    fix: ['`ralph plan` or `ralph stories add` fills it'],
  });
}
