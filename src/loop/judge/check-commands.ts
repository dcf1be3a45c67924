import type { Config } from '../../contracts/config.ts';
import type { Backlog, Story } from '../../contracts/model.ts';

/** The commands that judge a story: those of the configuration, of the backlog, then its own; each once. */
export function checkCommands(config: Config, backlog: Backlog, story: Story | null): readonly string[] {
  return [...new Set([...config.verifyCommands, ...backlog.verifyCommands, ...(story?.verifyCommands ?? [])])];
}
