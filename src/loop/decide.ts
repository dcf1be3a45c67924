import { type EndReason, ExitCode, type ExitCodeValue, type LedgerIteration, type Story } from '../contracts/index.ts';
import { isDone, select } from '../rules/backlog/index.ts';
import { oneLine, resultOf } from '../rules/text/index.ts';
import type { RunRequest } from './ports.ts';

/** Why a run ended, with a sentence where the reason alone is not enough. */
export interface End {
  readonly reason: EndReason;
  readonly detail?: string;
}

/**
 * Whether the run ends after this iteration, by the first rule that applies; null means continue. The next selection
 * finds "complete" and "blocked", except after the single iteration of `--once`.
 */
export function decide(input: {
  readonly line: LedgerIteration;
  readonly request: RunRequest;
  readonly stories: readonly Story[];
}): EndReason | null {
  const { line, request, stories } = input;
  if (line.agentStopped) return line.agentStopped;
  // Agents that enforce a budget themselves stop a little before it is spent.
  if (line.overrun && line.overrun.budget !== 'story-cost') return 'budget';
  if (isUntilReached(request, stories)) return 'until';
  if (request.stopOnFailure && hasFailed(line)) return 'failure';
  // A refusal by the provider was not an iteration: the gate decides whether to wait, switch agents or end.
  if (!request.once || line.verdict === 'limited') return null;
  const { kind } = select(stories, { skipReview: false, ...(request.only ? { only: request.only } : {}) });
  return kind === 'blocked' ? 'blocked' : 'once';
}

/** Whether an iteration brought nothing that stays; one that its provider refused is no failure of the work. */
export function hasFailed({ verdict }: Pick<LedgerIteration, 'verdict'>): boolean {
  return verdict !== 'accepted' && verdict !== 'advanced' && verdict !== 'limited';
}

/** The iteration that ended a run with `--stop-on-failure`, in one sentence. */
export function failureText({ iteration, story, verdict, mode, state, error, reason }: LedgerIteration): string {
  const { text } = resultOf({ verdict, mode, claim: state, error: error?.kind ?? null });
  return oneLine(`iteration ${iteration} (${story}) ${text}: ${reason}`);
}

/** Whether the story of `--until` is done, or will not be done. */
export function isUntilReached({ until }: Pick<RunRequest, 'until'>, stories: readonly Story[]): boolean {
  const story = stories.find(({ id }) => id === until);
  return story !== undefined && (isDone(story) || story.blocked !== undefined);
}

/** Exit code of a run: the table of `docs/commands.md`. `done` = what was asked for is done. */
export function exitCodeOf(reason: EndReason, done: boolean): ExitCodeValue {
  switch (reason) {
    case 'complete':
      return ExitCode.complete;
    case 'once':
    case 'failure':
    case 'until':
    case 'iterations':
    case 'condition':
    case 'stopped':
      return done ? ExitCode.complete : ExitCode.incomplete;
    case 'blocked':
      return ExitCode.blocked;
    case 'circuit':
      return ExitCode.circuitOpen;
    case 'budget':
    case 'limit':
      return ExitCode.budget;
    case 'unavailable':
      return ExitCode.unavailable;
    case 'interrupted':
      return ExitCode.interrupted;
    case 'terminated':
      return ExitCode.terminated;
    case 'error':
      return ExitCode.usage;
  }
}
