import type { Checkpoint, Git, TrustSnapshot } from '../../adapters/git/index.ts';
import { COMPLETE_FILE } from '../../adapters/plugins/index.ts';
import {
  EXCLUDED,
  ledgerText,
  putBackRunRecord,
  putBackStateFile,
  siblingJournals,
} from '../../adapters/workspace/index.ts';
import type { LedgerLine, RunRecord } from '../../contracts/index.ts';
import { chmod, type FileStat, list, makeDir, readBytes, readText, remove, stat } from '../../platform/index.ts';
import type { RunContext } from '../context.ts';

type Place = Pick<RunContext, 'git'>;

/**
 * The files that decide what git runs, before an agent starts. All work trees of the repository share some of them:
 * while agents work in others, the present content may already be theirs. Then the content from before the first of
 * those agents counts, so that every agent's end restores the same content.
 */
export async function takeTrust({ git }: Place): Promise<TrustSnapshot> {
  const own = await git.snapshotTrust();
  // After the snapshot: an agent that changed a file before the snapshot already had its journal entry.
  const others = [...(await siblingJournals(git.repo))].sort((one, other) => one.startedAt - other.startedAt);
  const [first] = others;
  if (first === undefined) return own;
  const isShared = sharedIn(git);
  const mine = Object.entries(own.files).filter(([path]) => !isShared(path));
  const theirs = Object.entries((first.trust as TrustSnapshot).files).filter(([path]) => isShared(path));
  return { files: Object.fromEntries([...mine, ...theirs]) };
}

/**
 * Puts the files back, except for lines that ralph itself added meanwhile for another work tree. @returns what was
 * changed
 */
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

/** Every line that a run of ralph may put into `info/exclude`, with any isolation. */
async function ownExcludes(): Promise<ReadonlySet<string>> {
  const { GHOST_FILES } = await import('../../adapters/isolation/srt/settings.ts');
  return new Set([...EXCLUDED, `/${COMPLETE_FILE}`, ...GHOST_FILES]);
}

/** The loop's own state before any other program runs. */
interface StateGuard {
  /**
   * Restores what has changed since, and keeps the changed version as `<file>.bad-<n>`.
   * @returns the paths that were changed; only the folder when it was missing
   */
  putBack(): Promise<readonly string[]>;
}

/**
 * Holds in memory what decides about attempts, breaker, limits and budgets. While this run has the lock only the loop
 * writes the ledger and the run record; people append to `steering.jsonl`, so only its earlier content must be
 * unchanged. The next phase rewrites the journal, and the shadow git dir rebuilds itself.
 */
export async function guardState(context: RunContext): Promise<StateGuard> {
  const { root, commonDir, gitDir, stateDir } = context.git.repo;
  const [ledgerPath, steeringPath] = [`${stateDir}/ledger.jsonl`, `${stateDir}/steering.jsonl`];
  const [ledger, steering] = await Promise.all([holdLedger(ledgerPath, context.ledger), readBytes(steeringPath)]);
  return {
    async putBack() {
      for (const folder of [root, commonDir, gitDir, `${commonDir}/objects`]) await makeUsable(folder);
      const wasThere = await ensureFolder(stateDir);
      for (const name of await list(stateDir)) await makeUsable(`${stateDir}/${name}`);
      await ensureFolder(`${stateDir}/journal`);
      const changed = [
        (await ledger.putBack()) ? ledgerPath : null,
        await putBackRunRecord(stateDir, await savedRecord(context)),
        (await putBackSteering(steeringPath, steering)) ? steeringPath : null,
      ].filter((path) => path !== null);
      return wasThere ? changed : [stateDir];
    },
  };
}

/** The record once no write of it is under way: checks may end, and be recorded, at any moment. */
async function savedRecord(context: Pick<RunContext, 'record' | 'saving'>): Promise<RunRecord> {
  for (let seen: Promise<void> | null = null; seen !== context.saving; ) {
    seen = context.saving;
    await seen?.catch(() => undefined);
  }
  return context.record;
}

/** The bytes of a ledger when it was first held, and how many of the lines in memory they contain. */
interface HeldLedger {
  readonly bytes: Uint8Array | null;
  readonly lines: number;
  /** Bytes of the file with the lines appended since, and their number. */
  readonly size: number;
  readonly all: number;
}

const held = new WeakMap<readonly LedgerLine[], HeldLedger>();

/** A long ledger is neither read again nor held twice: what this process appended can be made again from its lines. */
async function holdLedger(path: string, lines: readonly LedgerLine[]) {
  const found = await stat(path);
  let now = held.get(lines);
  const added = lines.slice(now?.all ?? 0).reduce((sum, line) => sum + Buffer.byteLength(ledgerText(line)) + 1, 0);
  now = now && { ...now, size: now.size + added, all: lines.length };
  // The first time, and after a person edited it.
  if (now?.size !== (found?.size ?? 0)) {
    const bytes = await readBytes(path);
    now = { bytes, lines: lines.length, size: bytes?.length ?? 0, all: lines.length };
  }
  held.set(lines, now);
  const { bytes, lines: from } = now;
  return {
    putBack: async () => {
      if (isUntouched(found, await stat(path))) return false;
      const later = lines
        .slice(from)
        .map((line) => `${ledgerText(line)}\n`)
        .join('');
      const isNone = bytes === null && later === '';
      return putBackStateFile(path, isNone ? null : Buffer.concat([bytes ?? Buffer.of(), Buffer.from(later)]));
    },
  };
}

/** The kernel sets the time of change. A whole second is that of a file system with coarse times, which prove nothing. */
function isUntouched(before: FileStat | null, now: FileStat | null): boolean {
  if (before?.kind !== 'file' || now?.kind !== 'file') return false;
  const isFine = now.ctimeMs % 1_000 !== 0;
  return isFine && now.ctimeMs === before.ctimeMs && now.size === before.size && now.mode === before.mode;
}

async function putBackSteering(path: string, before: Uint8Array | null): Promise<boolean> {
  if (before === null) return false;
  const now = (await stat(path))?.kind === 'file' ? await readBytes(path) : null;
  if (now !== null && Buffer.compare(now.subarray(0, before.length), before) === 0) return false;
  return putBackStateFile(path, before);
}

/** Anything else in its place is removed. @returns whether it was there */
async function ensureFolder(path: string): Promise<boolean> {
  const found = await makeUsable(path);
  if (found?.kind === 'dir') return true;
  if (found !== null) await remove(path);
  await makeDir(path);
  return false;
}

/** Gives back the rights to a file or folder that an agent took away. */
async function makeUsable(path: string): Promise<FileStat | null> {
  const found = await stat(path);
  const needed = found?.kind === 'dir' ? 0o700 : 0o600;
  if (found !== null && (found.mode & needed) !== needed) await chmod(path, found.mode | needed);
  return found;
}
