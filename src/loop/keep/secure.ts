import { hostname } from 'node:os';
import type { Checkpoint, Git, TrustSnapshot } from '../../adapters/git/port.ts';
import { writeFiles } from '../../adapters/workspace/backlog/document.ts';
import { isConfigFile } from '../../adapters/workspace/config/config-file.ts';
import { readJournal } from '../../adapters/workspace/records/journal.ts';
import { acquireRunLock } from '../../adapters/workspace/records/run-lock.ts';
import { readRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { GitRefusal } from '../../contracts/errors.ts';
import type { JournalEntry, ProtectedNames } from '../../contracts/state/journal.ts';
import type { Clock } from '../../platform/clock.ts';
import { stat } from '../../platform/files/files.ts';
import { killMarked } from '../../platform/process/tree-kill.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { setExcessAside } from './excess.ts';
import { ignoredBytes } from './ignored-spec.ts';
import { isUnder } from './loop-files.ts';
import { restoreNames } from './protected-names.ts';
import { putTrustBack } from './trust.ts';

/**
 * Before a start reads anything that an agent may have written. When a crash cut an iteration off, its agent may have
 * replaced the configuration, which runs on the host, or deleted the spec folder, without which no recovery finds its
 * way. Both are put back from the checkpoint, the tree as it was under a rescue first. Recovery proper comes later.
 * @throws GitRefusal where a person switched branch since the crash; nothing was touched then
 */
export async function secureStart(git: Git, clock: Clock): Promise<void> {
  const { stateDir, root } = git.repo;
  const entry = await readJournal(stateDir, 0);
  if (!entry || entry.phase === 'done') return;
  const holder = { pid: process.pid, host: hostname(), startedAt: new Date(clock.now()).toISOString(), run: entry.run };
  const lock = await acquireRunLock(stateDir, holder);
  try {
    await killMarked(entry.run, { graceMs: 1_000 });
    await refuseElsewhere(git, entry);
    await putTrustBack({ git }, entry.trust as TrustSnapshot, entry.checkpoint as Checkpoint);
    const checkpoint = entry.checkpoint as Checkpoint;
    await setExcessAside({ git }, entry, checkpoint);
    const tree = await git.tree();
    const specDir = (await readRunRecord(stateDir))?.specDir ?? null;
    // Seen from the tree as it is now, what the checkpoint "adds" is what went missing.
    const lost = (await git.changes(tree, checkpoint.tree)).filter(
      ({ path, status }) => isConfigFile(path) || (specDir !== null && status === 'added' && isUnder([specDir], path)),
    );
    if (lost.length > 0) {
      const { run, iteration, story } = entry;
      const subject = `rescue(${story}): configuration and spec folder as a crash left them`;
      await git.rescue({ run, iteration, tree, parents: [checkpoint.head], subject, date: clock.now() });
      const originals: Record<string, Uint8Array | null> = {};
      for (const { path } of lost) originals[path] = await git.show(checkpoint.tree, path);
      await writeFiles(root, originals);
    }
    for (const path of Object.keys(entry.spec ?? {})) {
      const bytes = ignoredBytes(entry.spec, path) ?? null;
      if (bytes !== null && (await stat(`${root}/${path}`)) === null) await writeFiles(root, { [path]: bytes });
    }
    // What git does not see of the configuration and the settings of clients.
    if (entry.names) await restoreNames({ git, clock }, onlyConfig(entry.names), entry, checkpoint);
  } finally {
    await lock.release();
  }
}

/**
 * Recovery puts HEAD and files back to the checkpoint. Where a person has moved on to another branch since the crash,
 * that would take their work out of their hands. An agent that worked in their git dir may have switched as well: it is
 * known by the mark that it left in the log of HEAD.
 */
async function refuseElsewhere(git: Git, entry: JournalEntry): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const now = await git.currentBranch();
  const name = nameOf(checkpoint.branch);
  // Git puts `heads/` before a name that a tag has, too.
  if (now === name || now === `heads/${name}` || (await isAgents(git, checkpoint))) return;
  const from = name ?? `commit ${checkpoint.head.slice(0, 12)}`;
  const to = now ?? 'no branch (HEAD is detached)';
  throw new GitRefusal({
    what: `this work tree is on ${to}, and iteration ${entry.iteration} (${entry.story}) was interrupted on ${from}`,
    where: git.repo.root,
    why: 'to go on, the loop has to restore the work tree as it was on that branch; nothing was changed yet',
    mend: [`${await wayBack(git, checkpoint)}, then start \`ralph run\` again`],
  });
}

/** Whether all that happened to HEAD since was logged, with the mark of an agent. */
async function isAgents(git: Git, checkpoint: Checkpoint): Promise<boolean> {
  if (checkpoint.sealed) return false;
  const moves = await git.movesSince(checkpoint);
  return moves.length > 0 && moves.every(({ by }) => by !== 'person');
}

/** The command that leads back to where the iteration was. */
async function wayBack(git: Git, { branch, head }: Checkpoint): Promise<string> {
  if (branch === null) return `git switch --detach ${shellWord(head.slice(0, 12))}`;
  const name = nameOf(branch) ?? branch;
  const isThere = (await git.resolve(branch)) !== null;
  return isThere ? `git switch ${shellWord(name)}` : `git switch -c ${shellWord(name)} ${head.slice(0, 12)}`;
}

function nameOf(branch: string | null): string | null {
  return branch?.replace('refs/heads/', '') ?? null;
}

/** The rest recovery puts back, once it has kept what the agent left. */
function onlyConfig(names: ProtectedNames): ProtectedNames {
  return Object.fromEntries(Object.entries(names).filter(([path]) => isConfigFile(path)));
}
