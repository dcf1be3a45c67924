import { type EndReason, ExitCode, type ExitCodeValue, type Story } from '../contracts/model.ts';
import type { LedgerIteration } from '../contracts/state/ledger.ts';
import { isDone, select } from '../rules/backlog/select.ts';
import type { RunRequest } from './context.ts';

/** Why a run ended, with a sentence where the reason alone does not say enough. */
export interface End {
  readonly reason: EndReason;
  readonly detail?: string;
}

/**
 * Whether the run ends after this iteration, judged by the first rule that applies; null means go on. "Complete" and
 * "blocked" the next selection finds, except after the one iteration of `--once`.
 */
export function decide(input: {
  readonly line: LedgerIteration;
  readonly request: RunRequest;
  readonly stories: readonly Story[];
}): EndReason | null {
  const { line, request, stories } = input;
  if (line.agentStopped) return line.agentStopped;
  // Agents that keep to a budget themselves stop a little before it is spent.
  if (line.overrun && line.overrun.budget !== 'story-cost') return 'budget';
  if (isUntilReached(request, stories)) return 'until';
  // What a provider refused was no iteration: the gate decides whether to wait, to go on with another agent or to end.
  if (!request.once || line.verdict === 'limited') return null;
  const { kind } = select(stories, { skipReview: false, ...(request.only ? { only: request.only } : {}) });
  return kind === 'blocked' ? 'blocked' : 'once';
}

/** Whether the story of `--until` is done, or nobody will do it. */
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
