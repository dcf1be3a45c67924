import type { Checkpoint, Git, TrustSnapshot } from '../../adapters/git/index.ts';
import {
  acquireRunLock,
  isConfigFile,
  readJournal,
  readRunRecord,
  writeFiles,
} from '../../adapters/workspace/index.ts';
import { GitRefusal, type JournalEntry, type ProtectedNames } from '../../contracts/index.ts';
import { type Clock, killFamily, stat, thisProcess } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { setExcessAside } from '../inside/guest.ts';
import { isUnder } from './loop-files.ts';
import { restoreNames } from './protected-names.ts';
import { ignoredBytes } from './snapshot.ts';
import { putTrustBack } from './trust.ts';

/**
 * Runs before a start reads anything that an agent may have written. When a crash interrupts an iteration, its agent
 * may have replaced the configuration, which runs on the host, or deleted the spec folder, which recovery needs. Both
 * are put back from the checkpoint, after a rescue of the present tree. The actual recovery comes later.
 * @throws GitRefusal where a person has switched branch since the crash; then nothing was touched
 */
export async function secureStart(git: Git, clock: Clock): Promise<void> {
  const { stateDir, root } = git.repo;
  const entry = await readJournal(stateDir);
  if (!entry || entry.phase === 'done') return;
  const lock = await acquireRunLock(stateDir, thisProcess(entry.run, clock.now()));
  try {
    await killFamily({ run: entry.run }, 1_000);
    await refuseElsewhere(git, entry);
    await putTrustBack({ git }, entry.trust as TrustSnapshot, entry.checkpoint as Checkpoint);
    const checkpoint = entry.checkpoint as Checkpoint;
    await setExcessAside({ git }, entry);
    const tree = await git.tree();
    const specDir = (await readRunRecord(stateDir))?.specDir ?? null;
    // Compared from the present tree, a path that the checkpoint "adds" is one that went missing.
    const lost = (await git.changes(tree, checkpoint.tree)).filter(
      ({ path, status }) => isConfigFile(path) || (specDir !== null && status === 'added' && isUnder([specDir], path)),
    );
    if (lost.length > 0) {
      const { run, iteration, story } = entry;
      const subject = `rescue(${story}): configuration and spec folder after a crash`;
      await git.rescue({ run, iteration, tree, parents: [checkpoint.head], subject, date: clock.now() });
      const originals: Record<string, Uint8Array | null> = {};
      for (const { path } of lost) originals[path] = await git.show(checkpoint.tree, path);
      await writeFiles(root, originals);
    }
    for (const path of Object.keys(entry.spec ?? {})) {
      const bytes = ignoredBytes(entry.spec, path) ?? null;
      if (bytes !== null && (await stat(`${root}/${path}`)) === null) await writeFiles(root, { [path]: bytes });
    }
    // The parts of the configuration and of client settings that git does not see.
    if (entry.names) await restoreNames({ git, clock }, onlyConfig(entry.names), entry, checkpoint);
  } finally {
    await lock.release();
  }
}

/**
 * Recovery resets HEAD and files to the checkpoint. If a person has switched to another branch since the crash, that
 * would destroy their work in progress. An agent that worked in their git dir may have switched as well: it is
 * recognised by the mark that it left in the log of HEAD.
 */
async function refuseElsewhere(git: Git, entry: JournalEntry): Promise<void> {
  const checkpoint = entry.checkpoint as Checkpoint;
  const now = await git.currentBranch();
  const name = nameOf(checkpoint.branch);
  // Git puts `heads/` before a name that a tag has too.
  if (now === name || now === `heads/${name}` || (await isAgents(git, checkpoint))) return;
  const from = name ?? `commit ${checkpoint.head.slice(0, 12)}`;
  const to = now ?? 'no branch (HEAD is detached)';
  throw new GitRefusal({
    what: `this work tree is on ${to}, and iteration ${entry.iteration} (${entry.story}) was interrupted on ${from}`,
    where: git.repo.root,
    why: 'to continue, the loop has to restore the work tree on that branch; nothing was changed yet',
    fix: [`${await returnCommand(git, checkpoint)}, then start \`ralph run\` again`],
  });
}

/** Whether every move of HEAD since then was logged with the mark of an agent. */
async function isAgents(git: Git, checkpoint: Checkpoint): Promise<boolean> {
  if (checkpoint.sealed) return false;
  const moves = await git.movesSince(checkpoint);
  return moves.length > 0 && moves.every(({ by }) => by !== 'person');
}

/** The command that returns to the branch or commit of the iteration. */
async function returnCommand(git: Git, { branch, head }: Checkpoint): Promise<string> {
  if (branch === null) return `git switch --detach ${shellWord(head.slice(0, 12))}`;
  const name = nameOf(branch) ?? branch;
  const isThere = (await git.resolve(branch)) !== null;
  return isThere ? `git switch ${shellWord(name)}` : `git switch -c ${shellWord(name)} ${head.slice(0, 12)}`;
}

function nameOf(branch: string | null): string | null {
  return branch?.replace('refs/heads/', '') ?? null;
}

/** Recovery puts the rest back, once it has kept what the agent left. */
function onlyConfig(names: ProtectedNames): ProtectedNames {
  return Object.fromEntries(Object.entries(names).filter(([path]) => isConfigFile(path)));
}
