import type { CheckResult } from '../../contracts/index.ts';
import { appendTextSync, readLog, stat, writePrivate } from '../../platform/index.ts';

/** What a check result applies to. */
interface Judged {
  /** Excludes the loop's own files. */
  readonly tree: string;
  readonly command: string;
  /** How the room was set up: install commands, copied files. */
  readonly setUp: string;
  /** Name of the isolation. */
  readonly isolation: string;
}

interface Entry extends Judged {
  readonly run: string;
  readonly result: CheckResult;
}

/** The results of checks: a tree that was judged is not judged again. */
export interface Book {
  /** The result of this run; else a green one among the latest results of other runs: lanes, the previous run. */
  known(judged: Judged): Promise<CheckResult | null>;
  /** Whether the command was ever green in a room, as far as the book goes back. */
  wasGreen(command: string): Promise<boolean>;
  add(judged: Judged, result: CheckResult): Promise<void>;
}

/** Entries kept when a book is opened. */
const MOST_ENTRIES = 200;
/** How many of them other runs trust: what a check uses outside the tree changes over time. */
const RECENT = 50;

/**
 * Opens the book of a repository. Unreadable lines do not count: the check runs once more. Lanes append to the same
 * file and see each other's results.
 * @param run the run whose results are added
 */
export async function openBook(path: string, run: string): Promise<Book> {
  let entries = await readEntries(path);
  let size = await sizeOf(path);
  if (entries.length > 2 * MOST_ENTRIES) {
    entries = entries.slice(-MOST_ENTRIES);
    await writePrivate(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { fsync: false });
    size = await sizeOf(path);
  }
  const upToDate = async (): Promise<readonly Entry[]> => {
    const now = await sizeOf(path);
    if (now !== size) [entries, size] = [await readEntries(path), now];
    return entries;
  };
  return {
    known: async (judged) => {
      const all = await upToDate();
      const found = all.findLast(
        (entry, at) => isSame(entry, judged) && (entry.run === run || (entry.result.ok && at >= all.length - RECENT)),
      );
      return found?.result ?? null;
    },
    wasGreen: async (command) => (await upToDate()).some((entry) => entry.command === command && entry.result.ok),
    add: async (judged, result) => {
      const { tree, command, setUp, isolation } = judged;
      // Lanes and other runs write there, too.
      appendTextSync(path, `${JSON.stringify({ tree, command, setUp, isolation, run, result } satisfies Entry)}\n`);
    },
  };
}

function isSame(one: Judged, other: Judged): boolean {
  return (
    one.tree === other.tree &&
    one.command === other.command &&
    one.setUp === other.setUp &&
    one.isolation === other.isolation
  );
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path))?.size ?? 0;
}

async function readEntries(path: string): Promise<readonly Entry[]> {
  return (await readLog(path)).lines.flatMap((line) => {
    try {
      const entry = JSON.parse(line) as Entry;
      return typeof entry.result.ok === 'boolean' && entry.result.command === entry.command ? [entry] : [];
    } catch {
      return [];
    }
  });
}
