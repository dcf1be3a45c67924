import type { AgentAdapter } from '../../adapters/agents/index.ts';
import type { Mode } from '../../contracts/index.ts';
import { votesOf } from '../../rules/backlog/index.ts';
import type { RunContext } from '../context.ts';

type Agents = Pick<RunContext, 'agents' | 'config'>;

/** The agents that do the work, in order of preference. */
export function workersOf({ agents, config }: Agents): readonly AgentAdapter[] {
  const reviewers = config.review.agents ?? [];
  return agents.filter(({ name }) => config.agent.includes(name) || !reviewers.includes(name));
}

/** The agents that review, in order of preference. */
export function reviewersOf(context: Agents): readonly AgentAdapter[] {
  const { agents, config } = context;
  return config.review.agents?.flatMap((name) => agents.filter((one) => one.name === name)) ?? workersOf(context);
}

/** Whether reviews are not simply done by the agents that work. */
export function hasReviewers({ config }: Pick<RunContext, 'config'>): boolean {
  return config.review.agents !== null || config.review.panel > 1;
}

/** The agents that may do an iteration: of a panel those that have not reviewed in this round. */
export function candidatesFor(
  context: Agents & Pick<RunContext, 'ledger'>,
  mode: Mode,
  story: string,
): readonly AgentAdapter[] {
  if (mode !== 'review' || !hasReviewers(context)) return workersOf(context);
  const voted = votesOf(context.ledger, story).map(({ agent }) => agent);
  return reviewersOf(context).filter(({ name }) => !voted.includes(name));
}
