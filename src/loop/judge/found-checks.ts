import { detectChecks } from '../../adapters/workspace/config/detect-checks.ts';
import { writeRunRecord } from '../../adapters/workspace/records/run-record.ts';
import type { Config } from '../../contracts/config.ts';
import type { Backlog } from '../../contracts/model.ts';
import type { RunContext } from '../context.ts';
import { checkCommands } from './check-commands.ts';

/** The checks that the project's files name, where neither the configuration nor the backlog names any. */
export async function findChecks(root: string, config: Config, backlog: Backlog): Promise<readonly string[]> {
  const isNamed =
    checkCommands(config, backlog, null).length > 0 ||
    backlog.stories.some(({ verifyCommands = [] }) => verifyCommands.length > 0);
  return isNamed ? [] : detectChecks(root);
}

/** A configuration that runs these checks, too. */
export function withChecks(config: Config, found: readonly string[] = []): Config {
  return found.length === 0 ? config : { ...config, verifyCommands: [...config.verifyCommands, ...found] };
}

/**
 * Takes the project's own checks for the whole run, where nobody named any. They are looked for once: what an agent
 * makes of the project's files later changes neither which there are nor how they are called.
 */
export async function adoptFoundChecks(context: RunContext, backlog: Backlog): Promise<void> {
  const { git, record, config } = context;
  const known = record.foundChecks;
  const found = known ?? (await findChecks(git.repo.root, config, backlog));
  if (found.length === 0) return;
  context.emit(0, {
    type: 'notice',
    level: 'info',
    text: `checks: ${found.map((command) => `\`${command}\``).join(', ')} (found in the project's files)`,
    mend: '`verifyCommands`, in the backlog or in the configuration, names others',
  });
  if (known) return;
  context.record = { ...record, foundChecks: found };
  context.config = withChecks(config, found);
  await writeRunRecord(git.repo.stateDir, context.record);
}
