import { openEventFile, runFolder, writeStatus } from '../../adapters/workspace/index.ts';
import type { RalphEvent, Story } from '../../contracts/index.ts';
import { stat } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import {
  foldRun,
  NO_TOTALS,
  type RunFold,
  type RunView,
  statusOf,
  type Totals,
  totalsAfter,
} from '../../rules/view/index.ts';

/** Events written at once, so that the status never misses them. */
const AT_ONCE: ReadonlySet<RalphEvent['type']> = new Set([
  'run-start',
  'select',
  'wait',
  'wait-end',
  'circuit',
  'turn-end',
  'run-end',
]);

/** All other events reach the file after this delay: agents act many times a second, and short iterations end soon. */
const CALM_MS = 1_000;

interface StatusFollower {
  readonly see: (event: RalphEvent) => void;
  /** Resolves once the file includes the last event seen. */
  readonly settled: () => Promise<void>;
}

interface FollowedRun {
  readonly root: string;
  readonly run: string;
  /** It already has an event log of what it did so far. */
  readonly resumed: boolean;
  /** As in `RunContext`: no other `run-start` will come. */
  readonly continues: boolean;
}

/**
 * Keeps `.ralph/status.json` up to date. At most one write is under way, and none is queued: later events are in the
 * next one. A failed write does not stop a run. Nothing is written before `run-start`: a refused start leaves no trace;
 * a continuing turn has its `run-start` in the log already.
 */
export async function followStatus({ root, run, resumed, continues }: FollowedRun): Promise<StatusFollower> {
  const { fold, before } = await foldOf(root, run, resumed);
  /** Of the iterations that have ended: a run of thousands keeps none of them in memory. */
  let totals = before;
  let hasStarted = continues;
  let writing: Promise<void> | null = null;
  let isBehind = false;
  let later: NodeJS.Timeout | null = null;

  function write(): void {
    if (later !== null) clearTimeout(later);
    later = null;
    isBehind = true;
    writing ??= writeUntilLevel().finally(() => {
      writing = null;
    });
  }

  async function writeUntilLevel(): Promise<void> {
    while (isBehind) {
      isBehind = false;
      // An agent may have put a link to a foreign folder there.
      if ((await stat(root))?.kind === 'dir')
        await writeStatus(root, statusOf(fold.view(), totals)).catch(() => undefined);
    }
  }

  return {
    see(event) {
      fold.see(event, 0);
      if (event.type === 'iteration-end') totals = totalsAfter(totals, fold.takeEnded());
      hasStarted ||= event.type === 'run-start';
      if (!hasStarted) return;
      if (AT_ONCE.has(event.type)) return write();
      later ??= setTimeout(write, CALM_MS).unref();
    },
    async settled() {
      if (later !== null) write();
      await writing;
      const view = fold.view();
      if (view.ended === null) leftOpen.set(root, { run, view, totals, bytes: await logBytes(root, run) });
    },
  };
}

/** A run that this process left open, and the length of its log then. */
interface LeftOpen {
  readonly run: string;
  readonly view: RunView;
  readonly totals: Totals;
  readonly bytes: number;
}

/** By work tree: the next turn of a run need not reread its log, which grows with every turn. */
const leftOpen = new Map<string, LeftOpen>();

async function foldOf(root: string, run: string, resumed: boolean): Promise<{ fold: RunFold; before: Totals }> {
  const left = leftOpen.get(root);
  leftOpen.delete(root);
  if (left?.run === run && left.bytes === (await logBytes(root, run)))
    return { fold: foldRun(run, left.view), before: left.totals };
  const fold = foldRun(run);
  if (resumed) await seeEarlier(root, run, fold);
  return { fold, before: totalsAfter(NO_TOTALS, fold.takeEnded()) };
}

async function logBytes(root: string, run: string): Promise<number> {
  return (await stat(`${root}/${runFolder(run)}/events.jsonl`))?.size ?? 0;
}

/** An unusable log costs the file its past, and nothing else. */
async function seeEarlier(root: string, run: string, fold: RunFold): Promise<void> {
  const file = await openEventFile(root, run);
  try {
    while ((await file.advance(fold.see, { headlines: true })) === 'grown');
  } catch {
    return;
  }
}

export interface StoryCounts {
  readonly total: number;
  readonly done: number;
  readonly blocked: number;
}

/** Stories by state; a done story is not counted as blocked. */
export function countStories(stories: readonly Story[]): StoryCounts {
  const done = stories.filter((story) => isDone(story));
  const blocked = stories.filter((story) => story.blocked && !isDone(story));
  return { total: stories.length, done: done.length, blocked: blocked.length };
}
