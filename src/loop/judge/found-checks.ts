import { detectChecks } from '../../adapters/workspace/config/detect-checks.ts';
import { writeRunRecord } from '../../adapters/workspace/records/run-record.ts';
import type { Config } from '../../contracts/config.ts';
import type { Backlog } from '../../contracts/model.ts';
import type { RunContext } from '../context.ts';
import { checkCommands } from './check-commands.ts';

/** The checks that the project's files name; null where the configuration or the backlog names some. */
export async function findChecks(root: string, config: Config, backlog: Backlog): Promise<readonly string[] | null> {
  const isNamed =
    checkCommands(config, backlog, null).length > 0 ||
    backlog.stories.some(({ verifyCommands = [] }) => verifyCommands.length > 0);
  return isNamed ? null : detectChecks(root);
}

/** A configuration that names no checks, with those that were found. */
export function withChecks(config: Config, found: readonly string[] | null = null): Config {
  return found === null || config.verifyCommands.length > 0 ? config : { ...config, verifyCommands: found };
}

/**
 * Takes the project's own checks for the whole run, where nobody named any. They are looked for once, and that there are
 * none is remembered, too: whatever an agent makes of the project's files changes neither which there are nor their names.
 */
export async function adoptFoundChecks(context: RunContext, backlog: Backlog): Promise<void> {
  const { git, record, config } = context;
  const found = record.foundChecks ?? (await findChecks(git.repo.root, config, backlog));
  if (found === null) return;
  if (record.foundChecks === undefined) {
    context.record = { ...record, foundChecks: found };
    context.config = withChecks(config, found);
    await writeRunRecord(git.repo.stateDir, context.record);
  }
  if (found.length === 0) return;
  context.emit(0, {
    type: 'notice',
    level: 'info',
    text: `checks: ${found.map((command) => `\`${command}\``).join(', ')} (found in the project's files)`,
    mend: '`verifyCommands`, in the backlog or in the configuration, names others',
  });
}
