import type { Checkpoint, Git, TrustSnapshot } from '../../adapters/git/port.ts';
import { COMPLETE_FILE } from '../../adapters/plugins/ralph-complete.ts';
import { EXCLUDED } from '../../adapters/workspace/records/state-folder.ts';
import { siblingJournals } from '../../adapters/workspace/worktrees/sibling-journals.ts';
import { readText } from '../../platform/files/files.ts';
import type { RunContext } from '../context.ts';

type Place = Pick<RunContext, 'git'>;

/**
 * The files that decide what git runs, before an agent starts. Some are shared by all work trees of the repository:
 * while agents work in others, what is there now may be theirs already. Then what was there before the first of them
 * holds, so that whoever of them ends last puts back the same as whoever ends first.
 */
export async function takeTrust({ git }: Place): Promise<TrustSnapshot> {
  const own = await git.snapshotTrust();
  // After the snapshot: an agent that changed something before it had its journal entry by then.
  const others = [...(await siblingJournals(git.repo))].sort((one, other) => one.startedAt - other.startedAt);
  const [first] = others;
  if (first === undefined) return own;
  const isShared = sharedIn(git);
  const mine = Object.entries(own.files).filter(([path]) => !isShared(path));
  const theirs = Object.entries((first.trust as TrustSnapshot).files).filter(([path]) => isShared(path));
  return { files: Object.fromEntries([...mine, ...theirs]) };
}

/** Puts them back, but for lines that ralph itself added meanwhile for another work tree. @returns what was changed */
export async function putTrustBack(
  { git }: Place,
  trust: TrustSnapshot,
  { sealed }: Pick<Checkpoint, 'sealed'>,
): Promise<readonly string[]> {
  return git.restoreTrust(await withOwnExcludes(git, trust), sealed);
}

function sharedIn({ repo: { commonDir } }: Git): (path: string) => boolean {
  const folders = [`${commonDir}/hooks/`, `${commonDir}/info/`];
  return (path) => path === `${commonDir}/config` || folders.some((folder) => path.startsWith(folder));
}

async function withOwnExcludes({ repo }: Git, trust: TrustSnapshot): Promise<TrustSnapshot> {
  const path = `${repo.commonDir}/info/exclude`;
  const entry = trust.files[path] ?? null;
  const before = entry === null ? '' : Buffer.from(entry.base64, 'base64').toString('utf8');
  const now = (await readText(path).catch(() => null)) ?? '';
  if (now === before || !now.startsWith(before)) return trust;
  const own = await ownExcludes();
  const added = now.slice(before.length).split('\n');
  if (!added.every((line) => line === '' || own.has(line))) return trust;
  const grown = { mode: entry?.mode ?? 0o644, base64: Buffer.from(now).toString('base64') };
  return { files: { ...trust.files, [path]: grown } };
}

/** Every line that a run of ralph may put into `info/exclude`, whatever its isolation is. */
async function ownExcludes(): Promise<ReadonlySet<string>> {
  const { GHOST_FILES } = await import('../../adapters/isolation/srt/ghost-files.ts');
  return new Set([...EXCLUDED, `/${COMPLETE_FILE}`, ...GHOST_FILES]);
}
