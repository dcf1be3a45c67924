import { openEventFile } from '../../adapters/workspace/events/event-file.ts';
import { runFolder } from '../../adapters/workspace/paths.ts';
import { writeStatus } from '../../adapters/workspace/records/status-file.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import { stat } from '../../platform/files/files.ts';
import { foldRun, type RunFold } from '../../rules/view/fold.ts';
import type { RunView } from '../../rules/view/model.ts';
import { statusOf } from '../../rules/view/status.ts';

/** What a glance must not miss. */
const AT_ONCE: ReadonlySet<RalphEvent['type']> = new Set([
  'run-start',
  'select',
  'iteration-end',
  'wait',
  'wait-end',
  'circuit',
  'turn-end',
  'run-end',
]);

/** Everything else is in the file so late: agents do things many times a second, and short iterations end soon. */
const CALM_MS = 1_000;

interface StatusFollower {
  readonly see: (event: RalphEvent) => void;
  /** Once the file says what was seen last. */
  readonly settled: () => Promise<void>;
}

interface FollowedRun {
  readonly root: string;
  readonly run: string;
  /** It has an event log already, which says what it did so far. */
  readonly resumed: boolean;
  /** As of `RunContext`: no other `run-start` will come. */
  readonly continues: boolean;
}

/**
 * Keeps `.ralph/status.json` up to date. Never more than one write is under way, and none is queued: what comes
 * meanwhile is in the next one. A write that fails is no reason to stop a run. Nothing is written before `run-start`: a
 * start that is refused leaves no trace; a turn that goes on has its own in the log already.
 */
export async function followStatus({ root, run, resumed, continues }: FollowedRun): Promise<StatusFollower> {
  const fold = await foldOf(root, run, resumed);
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
      // An agent may have put a link to somebody else's folder there.
      if ((await stat(root))?.kind === 'dir') await writeStatus(root, statusOf(fold.view())).catch(() => undefined);
    }
  }

  return {
    see(event) {
      fold.see(event, 0);
      hasStarted ||= event.type === 'run-start';
      if (!hasStarted) return;
      if (AT_ONCE.has(event.type)) return write();
      later ??= setTimeout(write, CALM_MS).unref();
    },
    async settled() {
      if (later !== null) write();
      await writing;
      const view = fold.view();
      if (view.ended === null) leftOpen.set(root, { run, view, bytes: await logBytes(root, run) });
    },
  };
}

/** A run that this process left open, and how long its log was then. */
interface LeftOpen {
  readonly run: string;
  readonly view: RunView;
  readonly bytes: number;
}

/** By work tree: the next turn of a run need not read its log again, which grows with every turn. */
const leftOpen = new Map<string, LeftOpen>();

async function foldOf(root: string, run: string, resumed: boolean): Promise<RunFold> {
  const left = leftOpen.get(root);
  leftOpen.delete(root);
  if (left?.run === run && left.bytes === (await logBytes(root, run))) return foldRun(run, left.view);
  const fold = foldRun(run);
  if (resumed) await seeEarlier(root, run, fold);
  return fold;
}

async function logBytes(root: string, run: string): Promise<number> {
  return (await stat(`${root}/${runFolder(run)}/events.jsonl`))?.size ?? 0;
}

/** A log that cannot be used costs the file its past, and nothing else. */
async function seeEarlier(root: string, run: string, fold: RunFold): Promise<void> {
  const file = await openEventFile(root, run);
  try {
    while ((await file.advance(fold.see, { headlines: true })) === 'grown');
  } catch {
    return;
  }
}
