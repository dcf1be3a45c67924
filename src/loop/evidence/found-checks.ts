import { detectChecks } from '../../adapters/workspace/index.ts';
import type { Backlog, Config } from '../../contracts/index.ts';
import { checkCommands } from '../../rules/judge/index.ts';

/** The checks that the project's files name; null where the configuration or the backlog names some. */
export async function findChecks(root: string, config: Config, backlog: Backlog): Promise<readonly string[] | null> {
  const isNamed =
    checkCommands(config, backlog, null).length > 0 ||
    backlog.stories.some(({ verifyCommands = [] }) => verifyCommands.length > 0);
  return isNamed ? null : detectChecks(root);
}

/** The configuration with the found checks added where it names none. */
export function withChecks(config: Config, found: readonly string[] | null = null): Config {
  return found === null || config.verifyCommands.length > 0 ? config : { ...config, verifyCommands: found };
}
