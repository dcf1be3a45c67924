import { posix } from 'node:path';
import type { ApplyOutcome, Git } from '../../adapters/git/port.ts';
import { ARCHIVED_TRAILER } from '../../adapters/git/story-range.ts';
import {
  type ArchivePlan,
  readArchiveJournal,
  removeArchiveJournal,
  writeArchiveJournal,
} from '../../adapters/workspace/archive/journal.ts';
import { archiveLine } from '../../adapters/workspace/archive/ledger.ts';
import { MOST_BACKLOG_BYTES, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import { readSteering } from '../../adapters/workspace/records/steering-file.ts';
import type { Config } from '../../contracts/config.ts';
import { GitRefusal } from '../../contracts/errors.ts';
import { LEDGER_VERSION } from '../../contracts/state/ledger.ts';
import { bookkeepingMessage } from '../../loop/judge/commit-message.ts';
import { crashpoint } from '../../platform/crashpoint.ts';
import { remove, stat } from '../../platform/files/files.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { type Proposal, textOf } from './propose.ts';

/**
 * Puts a loop aside in one commit. The archive is written and the commit prepared before anything else changes; from
 * then on a journal says what is to be done, so that whoever comes after a crash can finish it.
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
    // It carries no work, as every commit of bookkeeping.
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

/** What became of an archive that was cut off. */
export interface Finished {
  readonly folder: string;
  /** null: not finished, because somebody went on with the old stories since. */
  readonly commit: string | null;
}

/** Finishes an archive that was cut off, or takes back what it had begun; null when there is none. */
export async function finishCutOff(git: Git): Promise<Finished | null> {
  const { root, stateDir } = git.repo;
  const journal = await readArchiveJournal(stateDir);
  if (journal === null) return null;
  const { folder } = journal;
  if (journal.phase === 'copying') {
    // Nothing but copies is in it: the folder was free when it was begun.
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

/** Each step may be done twice. The ledger first: fresh stories never meet the history of the old ones. */
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
    what: 'the archive is there, but not committed',
    where: folder,
    why: 'somebody moved the branch meanwhile',
    mend: [
      `commit it yourself: git add ${[folder, ...Object.keys(plan.files)].map(shellWord).join(' ')} && git commit`,
    ],
  });
}

async function closeHistory(stateDir: string, folder: string, { stories, at }: ArchivePlan): Promise<void> {
  await appendLedger(stateDir, archiveLine(stories, folder.slice(folder.lastIndexOf('/') + 1), at));
  // What people said about an old story, and no run has heard yet, is not meant for a new one of the same id.
  const entries = await readSteering(stateDir);
  const said = new Set(entries.flatMap((entry) => ('story' in entry ? [entry.story] : [])));
  for (const story of stories.filter((id) => said.has(id))) {
    await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'reset', story, at });
  }
}

async function moveBranch(git: Git, { head, branch, commit }: ArchivePlan): Promise<ApplyOutcome> {
  // The index as it is now: somebody may have staged something since the plan was made.
  const now = await git.checkpoint('archive');
  if (now.branch !== branch) return 'moved-by-someone';
  return git.applyCommit({ checkpoint: { ...now, head }, commit, agentHead: head });
}

/** Whether the branch, or a file that would be renewed, is neither as it was nor as it will be. */
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
