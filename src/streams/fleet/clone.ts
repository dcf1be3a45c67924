import { createHmac, timingSafeEqual } from 'node:crypto';
import { dirname } from 'node:path';
import { type FleetFiles, type FleetGit, type FleetStream, openGit } from '../../adapters/git/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { secureStart } from '../../loop/index.ts';
import { exists, list, readText, systemClock } from '../../platform/index.ts';

/** The git of a worker whose folder may be removed at any time. */
export interface LastingClone extends FleetGit {
  isThere(): Promise<boolean>;
}

/** Recreates a missing clone before a stream is checked out. @param open creates, or finds, the clone */
export async function lastingClone(open: () => Promise<FleetGit>): Promise<LastingClone> {
  let now = await open();
  let opening: Promise<FleetGit> | null = null;
  const isThere = () => exists(`${now.clone}/HEAD`);
  const there = async () => {
    if (await isThere()) return now;
    // Several streams may notice it at the same time.
    opening ??= open().finally(() => {
      opening = null;
    });
    now = await opening;
    return now;
  };
  return {
    get clone() {
      return now.clone;
    },
    isThere,
    checkOut: async (stream) => (await there()).checkOut(stream),
    push: (stream, base, state) => now.push(stream, base, state),
    pushWip: (stream, tree) => now.pushWip(stream, tree),
    readState: async (stream) => (await there()).readState(stream),
    trees: async () => ((await isThere()) ? now.trees() : []),
    forget: (tree) => now.forget(tree),
  };
}

/**
 * Runs before anything in a worker's folder is used: if the previous worker was killed during an agent's work, what the
 * agent may have planted in the git dir is reverted, as the next start of a run would do.
 */
export async function secureClone(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const root of await workTrees(folder)) {
    if (await exists(root)) await secureStart(await openGit(root, { env }), systemClock);
  }
}

/** Roots of the work trees of every clone in the folder, according to git's own records. */
async function workTrees(folder: string): Promise<readonly string[]> {
  const roots: string[] = [];
  for (const clone of await list(folder)) {
    const kept = `${folder}/${clone}/worktrees`;
    for (const name of await list(kept)) {
      const gitFile = (await readText(`${kept}/${name}/gitdir`))?.trim();
      if (gitFile) roots.push(dirname(gitFile));
    }
  }
  return roots;
}

/** Name in the state of a stream: the MAC of all the others. */
const SEAL_FILE = 'seal';
const SHORTEST_KEY = 32;

/**
 * The key that all workers of a fleet share: state at the remote is trusted only when one of them wrote it.
 * @throws UsageError where there is none, or it could be guessed
 */
export function fleetKey(text: string | undefined): string {
  if (text !== undefined && text.length >= SHORTEST_KEY) return text;
  throw new UsageError({
    what: text ? `RALPH_FLEET_KEY has fewer than ${SHORTEST_KEY} characters` : 'RALPH_FLEET_KEY is not set',
    why: 'workers sign the state of streams with it; otherwise everyone who can push could change that state',
    fix: ['generate one, and give it to every worker: openssl rand -hex 32'],
  });
}

/** The state with its seal, for the remote. */
export function sealed(key: string, stream: FleetStream, files: FleetFiles): FleetFiles {
  return { ...files, [SEAL_FILE]: `${macOf(key, stream, files).toString('hex')}\n` };
}

/** Whether a worker of this fleet wrote the whole state of this stream. A stream without state has none to check. */
export function isSealed(key: string, stream: FleetStream, files: FleetFiles): boolean {
  if (Object.keys(files).length === 0) return true;
  const mac = Buffer.from((files[SEAL_FILE] ?? '').trim(), 'hex');
  const own = macOf(key, stream, files);
  return mac.length === own.length && timingSafeEqual(mac, own);
}

/** Covers stream and branch too: the state of one stream is not valid for another. */
function macOf(key: string, { stream, branch }: FleetStream, files: FleetFiles): Buffer {
  const entries = Object.entries(files).filter(([name]) => name !== SEAL_FILE);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha256', key)
    .update(JSON.stringify([stream, branch, entries]))
    .digest();
}
