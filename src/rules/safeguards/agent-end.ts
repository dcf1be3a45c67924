import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import type { AgentEnd } from './verdict.ts';

type Outcome = Pick<AgentOutcome, 'stopped' | 'result' | 'overrun'>;

/** Reasons of the loop and of people; time limits are the agent's own fault. */
const ENDED_BY_US: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'stopped', 'budget']);

/** No fault of the story's: the provider or the installation refused, or could not be reached. */
const UNCHARGED: ReadonlySet<string> = new Set(['limit', 'auth', 'model', 'unavailable', 'network']);

/** What `timeout` of coreutils, which people put before an agent, exits with when time is up. */
const TIMED_OUT = 124;

/** Ends by a signal that a person or a supervisor sent: as shells report them, and as the system does. */
const SIGNALLED: Readonly<Record<string, 'interrupted' | 'terminated'>> = {
  130: 'interrupted',
  SIGINT: 'interrupted',
  143: 'terminated',
  SIGTERM: 'terminated',
};

/** How the agent's process ended, in the terms of the verdict table. */
export function agentEndOf(outcome: Outcome): AgentEnd {
  const { stopped, result, overrun } = outcome;
  if (overrun || ENDED_BY_US.has(stopped ?? '')) return 'interrupted';
  if (stopped !== null) return 'timed-out';
  if (result.ok) return 'ok';
  if (stoppedFromOutside(outcome) !== null) return 'interrupted';
  if (result.limit?.status === 'rejected' || UNCHARGED.has(result.error?.kind ?? '')) return 'limited';
  return result.exitCode === TIMED_OUT ? 'timed-out' : 'error';
}

/**
 * How somebody else than the loop ended the agent: whoever did that wants the run to end, as if the loop had got the
 * signal. Null when the loop stopped it itself (then that reason counts), and for ends of its own.
 */
export function stoppedFromOutside({ stopped, result, overrun }: Outcome): 'interrupted' | 'terminated' | null {
  if (stopped !== null || overrun || result.ok) return null;
  return SIGNALLED[result.signal ?? String(result.exitCode)] ?? null;
}

/** What an agent left behind, as far as it decides how its end counts. */
interface Left {
  readonly hasClaim: boolean;
  /** It changed files, and not as a reviewer. */
  readonly hasWork: boolean;
}

/**
 * The same with what the agent left in mind. One that ended without a word, or lost its provider on the way, may have
 * done its work: that is judged like any other's.
 */
export function endWith(outcome: Outcome, { hasClaim, hasWork }: Left): AgentEnd {
  const end = agentEndOf(outcome);
  const kind = outcome.stopped === null && end !== 'interrupted' ? outcome.result.error?.kind : undefined;
  if (kind !== 'empty' && kind !== 'network') return end;
  if (hasClaim) return 'error';
  return hasWork ? 'ok' : end;
}

/** Whether red checks are no fault of the agent's: it was cut off from its provider in the middle of its work. */
export function isCutOff({ stopped, result }: Outcome): boolean {
  return stopped === null && result.error?.kind === 'network';
}
