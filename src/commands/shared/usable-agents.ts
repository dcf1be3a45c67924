import type { AgentAdapter } from '../../adapters/agents/port.ts';
import type { IsolationName } from '../../adapters/isolation/port.ts';
import type { Config } from '../../contracts/config.ts';
import { ConfigError, UnavailableError } from '../../contracts/errors.ts';

/**
 * The agents of the list from the first one on that is there. Those after it are not looked for: asking a program for
 * its version takes long, and mostly nobody needs them; one that is missing is passed over when its turn comes.
 * @param warn told of each that is passed over
 * @throws UnavailableError naming why each is not
 */
export async function usableAgents(
  agents: readonly AgentAdapter[],
  config: Config,
  isolation: IsolationName,
  warn: (text: string) => void,
): Promise<readonly AgentAdapter[]> {
  const reasons: string[] = [];
  const mends: string[] = [];
  for (const [i, agent] of agents.entries()) {
    const found = await agent.detect(config, isolation);
    if (found.ok) {
      for (const reason of reasons) warn(`${reason}; ${agent.name} takes over`);
      return agents.slice(i);
    }
    reasons.push(`${agent.name}: ${found.detail}`);
    mends.push(found.mend);
  }
  if (reasons.length === 0)
    throw new ConfigError({ what: 'no agent is configured', mend: ['ralph run --agent claude'] });
  throw new UnavailableError({
    what: 'the agent cannot be used',
    where: reasons.join('; '),
    mend: [...mends, '`ralph doctor` checks everything a run needs'],
  });
}
