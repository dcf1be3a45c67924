import { settingsOf } from '../../adapters/agents/index.ts';
import type { Config, Mode, Story } from '../../contracts/index.ts';

interface Choice {
  readonly config: Config;
  /** Name of the agent that does the iteration. */
  readonly agent: string;
  readonly mode: Mode;
  readonly story: Story;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/**
 * The model for an iteration; null leaves it to the agent. After a failed attempt the next one of `models.escalate`;
 * else the story's own, that of its estimate, the mode's, the run's. These names are for the first agent of the list:
 * a fallback has only its own in `agents`, or decides itself. The first of `review.agents` has that of reviews.
 */
export function modelFor({ config, agent, mode, story, attempt }: Choice): string | null {
  const { models } = config;
  const own = settingsOf(config, agent)?.model ?? null;
  const reviewers = mode === 'review' ? config.review.agents : null;
  if (reviewers !== null) {
    const ofRun = agent === config.agent[0] ? config.model : null;
    return (agent === reviewers[0] ? models.review : null) ?? ofRun ?? own;
  }
  if (agent !== config.agent[0]) return own;
  const escalated = attempt > 1 ? (models.escalate[attempt - 2] ?? models.escalate.at(-1)) : undefined;
  const estimated = story.estimate === undefined ? undefined : models.byEstimate[String(story.estimate)];
  return escalated ?? story.model ?? estimated ?? models[mode] ?? config.model ?? own;
}
