import type { FleetStream } from '../../adapters/git/index.ts';
import { BrokenRepository, FileProblemsError, messageOf, RalphError, UnavailableError } from '../../contracts/index.ts';
import type { Clock } from '../../platform/index.ts';
import { GivenBack, type Turn } from '../engine/port.ts';

/** Another worker moved the stream's branch or state during this worker's turn: the turn does not count. */
class FencedError extends RalphError {}

/** The turn was ended from outside: its work does not count. */
export class AbortedTurn extends RalphError {}

/** @param where what the remote has instead */
export function fenced({ stream }: FleetStream, where: string): FencedError {
  return new FencedError({
    what: `this turn of stream ${stream} does not count`,
    where,
    why: 'the branch was pushed to in the meantime; nothing was overwritten',
    fix: [`work that is not on the branch is kept on the remote: refs/ralph/fleet/${stream}/lost/…`],
  });
}

/** @param turn its signal names the reason @param isKept whether there was work, and it is on the remote */
export function aborted({ stream }: FleetStream, { n, signal }: Turn, isKept: boolean): AbortedTurn {
  const why = REASONS[String(signal.reason)] ?? String(signal.reason);
  return new AbortedTurn({
    what: `turn ${n} of stream ${stream} was stopped: ${why}`,
    ...(isKept ? { fix: [`refs/ralph/fleet/${stream}/wip on the remote keeps the work`] } : {}),
  });
}

const REASONS: Readonly<Record<string, string>> = {
  stopped: 'the stream was cancelled',
  timeout: 'it took longer than --turn-timeout',
  terminated: 'the worker was asked to stop',
};

/** Messages of git and the file system when this machine is out of resources. */
const AT_ITS_END = /no space left|disk quota|read-only file system|too many open files|cannot allocate memory/i;
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO']);

interface BlamedPlace {
  /** Of the worker, absolute: its clone and work trees are in it. */
  readonly folder: string;
  readonly isThere: boolean;
}

/**
 * What is at fault for a failed turn. Problems of this worker's place (its agent, its disk, its clone), and an
 * overtaken turn, are not held against the stream.
 * @returns the error for the engine
 */
export function blame(error: unknown, place: BlamedPlace): unknown {
  if (!place.isThere) return gone();
  if (error instanceof FencedError) return new GivenBack(said(error), false);
  const isLocal =
    error instanceof UnavailableError ||
    error instanceof BrokenRepository ||
    isAboutOtherFiles(error, place.folder) ||
    CODES.has(codeOf(error)) ||
    AT_ITS_END.test(said(error));
  return isLocal ? new GivenBack(said(error), true) : error;
}

export function gone(): GivenBack {
  return new GivenBack('the work folder of the worker is gone; it is created again', true);
}

/** Such as the scenario of a scripted agent, which the worker's command line names. */
function isAboutOtherFiles(error: unknown, folder: string): boolean {
  if (!(error instanceof FileProblemsError)) return false;
  return error.problems.every(({ file }) => file.startsWith('/') && !file.startsWith(`${folder}/`));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

function said(error: unknown): string {
  if (!(error instanceof RalphError)) return messageOf(error);
  const { what, where, why } = error.facts;
  return [what, where, why].filter(Boolean).join(': ');
}

/** First pause, milliseconds; each is twice the one before. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

interface Patience {
  readonly clock: Clock;
  readonly patienceMs: number;
  readonly isTransient: (error: unknown) => boolean;
  /** Called before each pause; must not throw. */
  readonly onPause: (error: unknown, ms: number) => void;
  /** Ends the retries: the last error is thrown. */
  readonly signal: AbortSignal;
}

/** Retries a network operation until it works, fails permanently, or the patience is used up. */
export async function withPatience<T>(
  attempt: () => Promise<T>,
  { clock, patienceMs, isTransient, onPause, signal }: Patience,
): Promise<T> {
  const until = clock.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || signal.aborted || clock.now() + pause > until) throw error;
      onPause(error, pause);
      await clock.sleep(pause, signal);
      if (signal.aborted) throw error;
    }
  }
}
