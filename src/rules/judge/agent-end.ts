import type { AgentOutcome } from '../../contracts/index.ts';

/** How an agent's process ended. `interrupted`: by a signal or a budget; `limited`: by the provider. */
export type AgentEnd = 'ok' | 'timed-out' | 'error' | 'interrupted' | 'limited';

type Ended = Pick<AgentOutcome, 'stopped' | 'result' | 'overrun'>;

/** Ends caused by the loop or a person; time limits are the agent's fault. */
const ENDED_BY_US: ReadonlySet<string> = new Set(['interrupted', 'terminated', 'stopped', 'budget']);

/** Not the story's fault: the provider or the installation refused, or could not be reached. */
const UNCHARGED: ReadonlySet<string> = new Set(['limit', 'auth', 'model', 'unavailable', 'network']);

/** Exit code of coreutils `timeout`, which users put before an agent, when time is up. */
const TIMED_OUT = 124;

/** Ends by a signal from a person or a supervisor: as shells report them, and as the system does. */
const SIGNALLED: Readonly<Record<string, 'interrupted' | 'terminated'>> = {
  130: 'interrupted',
  SIGINT: 'interrupted',
  143: 'terminated',
  SIGTERM: 'terminated',
};

/** How the agent's process ended, in the terms of the verdict table. */
export function agentEndOf(outcome: Ended): AgentEnd {
  const { stopped, result, overrun } = outcome;
  if (overrun || ENDED_BY_US.has(stopped ?? '')) return 'interrupted';
  if (stopped !== null) return 'timed-out';
  if (result.ok) return 'ok';
  if (stoppedFromOutside(outcome) !== null) return 'interrupted';
  if (result.limit?.status === 'rejected' || UNCHARGED.has(result.error?.kind ?? '')) return 'limited';
  return result.exitCode === TIMED_OUT ? 'timed-out' : 'error';
}

/**
 * How a person or a supervisor ended the agent from outside: the run should end as if the loop had received the signal.
 * Null when the loop stopped it itself (then the loop's reason counts), or when the agent ended by itself.
 */
export function stoppedFromOutside({ stopped, result, overrun }: Ended): 'interrupted' | 'terminated' | null {
  if (stopped !== null || overrun || result.ok) return null;
  return SIGNALLED[result.signal ?? String(result.exitCode)] ?? null;
}

/** The part of what an agent left that decides how its end counts. */
interface Left {
  readonly hasClaim: boolean;
  /** It changed files, and was not a reviewer. */
  readonly hasWork: boolean;
}

/**
 * How the agent's process ended, considering what it left. An agent that ended without a word, or lost its provider,
 * may have done its work: that is judged like any other's.
 */
export function endWith(outcome: Ended, { hasClaim, hasWork }: Left): AgentEnd {
  const end = agentEndOf(outcome);
  const kind = outcome.stopped === null && end !== 'interrupted' ? outcome.result.error?.kind : undefined;
  if (kind !== 'empty' && kind !== 'network') return end;
  if (hasClaim) return 'error';
  return hasWork ? 'ok' : end;
}

/** Whether red checks are not the agent's fault: it lost its provider in the middle of its work. */
export function isCutOff({ stopped, result }: Ended): boolean {
  return stopped === null && result.error?.kind === 'network';
}
