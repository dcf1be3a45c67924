import type { Git } from '../adapters/git/port.ts';
import type { WorktreeEntry } from '../adapters/git/worktrees/port.ts';
import { readLedger } from '../adapters/workspace/records/ledger.ts';
import { readRunRecord } from '../adapters/workspace/records/run-record.ts';
import { RalphError } from '../contracts/errors.ts';
import type { LedgerIteration } from '../contracts/state/ledger.ts';
import type { TurnUse } from '../contracts/streams.ts';
import { turnUse } from '../rules/safeguards/turn-use.ts';
import { laneMarkOf } from '../rules/streams/lanes.ts';

const HOUR_MS = 3_600_000;

/** What ledgers and run records say. */
interface Books {
  readonly iterations: readonly LedgerIteration[];
  /** Ids of runs that have not ended. */
  readonly open: ReadonlySet<string>;
}

/**
 * What all work trees of the repository used of the limits that streams share: starts within the last hour, and the
 * cost of runs that are open.
 * @param own roots of the work trees whose turns the caller counts itself: of them only what is there now counts
 * @returns what looks again
 */
export async function usedByOthers(git: Git, own: ReadonlySet<string>): Promise<() => Promise<TurnUse>> {
  const books = async (isMeant: (root: string) => boolean) => {
    const trees = (await git.worktrees()).filter(({ root, missing }) => !missing && isMeant(root));
    return together(await Promise.all(trees.map(booksOf)));
  };
  const before = await books((root) => own.has(root));
  return async () => usedIn(together([before, await books((root) => !own.has(root))]), Date.now());
}

function usedIn({ iterations, open }: Books, now: number): TurnUse {
  const each = eachOnce(iterations);
  const { costUsd, tokens } = turnUse(each.filter(({ run }) => open.has(run)));
  return { costUsd, tokens, calls: turnUse(each).calls.filter((at) => at > now - HOUR_MS) };
}

/**
 * Ledgers of lanes begin as a copy of their run's, which takes over what they did afterwards: whatever that run has
 * counts as its own, the rest as the lane's.
 */
function eachOnce(iterations: readonly LedgerIteration[]): readonly LedgerIteration[] {
  const found = new Map<string, LedgerIteration>();
  const marked = (line: LedgerIteration) => laneMarkOf(line) !== null;
  for (const line of [...iterations.filter(marked), ...iterations.filter((one) => !marked(one))]) {
    const { run, iteration } = laneMarkOf(line) ?? line;
    const key = `${run} ${iteration}`;
    // The first is the one with the cost; a later one only takes back what it said of the story.
    if (!found.has(key)) found.set(key, line);
  }
  return [...found.values()];
}

async function booksOf({ gitDir }: WorktreeEntry): Promise<Books> {
  const stateDir = `${gitDir}/ralph`;
  try {
    const [lines, record] = await Promise.all([readLedger(stateDir), readRunRecord(stateDir)]);
    return {
      iterations: lines.filter((line) => line.kind === 'iteration'),
      open: new Set(record?.ended === null ? [record.run] : []),
    };
  } catch (error) {
    // Whoever works there is told; it must not keep the others from working.
    if (error instanceof RalphError) return { iterations: [], open: new Set() };
    throw error;
  }
}

function together(all: readonly Books[]): Books {
  return {
    iterations: all.flatMap(({ iterations }) => iterations),
    open: new Set(all.flatMap(({ open }) => [...open])),
  };
}
