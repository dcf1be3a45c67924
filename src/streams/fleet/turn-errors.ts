import type { FleetStream } from '../../adapters/git/fleet/port.ts';
import { RalphError } from '../../contracts/errors.ts';
import type { Turn } from '../engine/port.ts';

/** Somebody else moved the stream's branch or state while this worker was at work: its turn counts for nothing. */
export class FencedError extends RalphError {}

/** The turn was ended from outside: what it did counts for nothing. */
export class AbortedTurn extends RalphError {}

/** @param where what the remote has instead */
export function fenced({ stream }: FleetStream, where: string): FencedError {
  return new FencedError({
    what: `this turn of stream ${stream} counts for nothing`,
    where,
    why: 'another worker, or somebody who pushed, was faster; nothing of theirs was overwritten',
    mend: [`work that is not on the branch is kept on the remote: refs/ralph/fleet/${stream}/lost/…`],
  });
}

/** @param turn its signal says why @param isKept whether there was work, and it is on the remote */
export function aborted({ stream }: FleetStream, { n, signal }: Turn, isKept: boolean): AbortedTurn {
  const why = REASONS[String(signal.reason)] ?? String(signal.reason);
  return new AbortedTurn({
    what: `turn ${n} of stream ${stream} was ended: ${why}`,
    ...(isKept ? { mend: [`refs/ralph/fleet/${stream}/wip on the remote keeps what was done`] } : {}),
  });
}

const REASONS: Readonly<Record<string, string>> = {
  stopped: 'the stream was cancelled',
  timeout: 'it took longer than --turn-timeout',
  terminated: 'the worker was told to end',
};
