import { homedir } from 'node:os';
import { writeRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { RalphError } from '../../contracts/errors.ts';
import type { Backlog, CheckResult } from '../../contracts/model.ts';
import { exists, realPath } from '../../platform/files/files.ts';
import { findProgram } from '../../platform/process/find-program.ts';
import { isDone } from '../../rules/backlog/select.ts';
import type { HostTool } from '../../rules/isolation/missing-tools.ts';
import type { RunContext } from '../context.ts';
import { checkCommands } from './check-commands.ts';
import { runChecks } from './checks.ts';

/** The checks before the first iteration: what is red now is shown and blocks nobody, what is green must stay so. */
export async function takeBaseline(context: RunContext, backlog: Backlog): Promise<void> {
  const commands = checkCommands(context.config, backlog, null);
  if (commands.length === 0) return tellUnchecked(context, backlog);
  if (context.record.baseline) return;
  const baseline = await runChecks(context, 0, commands, new Set());
  if (context.signal.aborted) return;
  context.emit(0, { type: 'baseline', checks: baseline });
  context.record = { ...context.record, baseline };
  await writeRunRecord(context.git.repo.stateDir, context.record);
  const red = baseline.filter((check) => !check.ok);
  await tellMissingTools(context, red);
  if (red.length > 0) await refuseWithoutFolders(context, red);
  if (red.length > 0 && context.config.requireGreen) {
    throw new RalphError({
      what: `${red.length} of ${baseline.length} checks fail before the first iteration`,
      where: red.map((check) => check.command).join(', '),
      why: '--require-green asks for a green start',
      mend: [
        'make them pass, then start again',
        'start without --require-green: they are shown and block nobody until they were green once',
      ],
    });
  }
}

/**
 * Checks that fail since an agent deleted what they need are no baseline: work that breaks them would be accepted.
 * @throws RalphError
 */
async function refuseWithoutFolders(context: RunContext, red: readonly CheckResult[]): Promise<void> {
  const there = await Promise.all(context.gone.map((folder) => exists(`${context.git.repo.root}/${folder}`)));
  context.gone = context.gone.filter((_, at) => !there[at]);
  if (context.gone.length === 0) return;
  throw new RalphError({
    what: `${context.gone.join(', ')} is gone since an agent of the last run, and checks fail`,
    where: red.map((check) => check.command).join(', '),
    why: 'git ignores it, so that no checkpoint could bring it back',
    mend: [
      'install or build it again, then `ralph run`',
      'if the checks fail for another reason: make an empty folder there',
    ],
  });
}

/** At every start: nothing but a reviewer's word will say that these stories work. */
function tellUnchecked({ emit }: RunContext, { stories }: Backlog): void {
  const left = stories.filter((story) => !isDone(story));
  const unchecked = left.filter(({ verifyCommands = [] }) => verifyCommands.length === 0);
  if (left.length > 0 && unchecked.length === 0) return;
  const which = unchecked.length === left.length ? '' : ` for ${unchecked.map(({ safeId }) => safeId).join(', ')}`;
  emit(0, {
    type: 'notice',
    level: 'warning',
    text: `NO CHECKS${which}: nothing proves that a story works. Its receipt will say "unverified".`,
    mend: `set verifyCommands in the backlog or in the configuration, e.g. ["npm test"]`,
  });
}

/** A check that is red only because a program of this machine is not inside: says which, and how to let it in. */
async function tellMissingTools({ isolation, env, emit }: RunContext, red: readonly CheckResult[]): Promise<void> {
  if (isolation.name === 'none' || red.length === 0) return;
  const { missingTools, toolchainNotice } = await import('../../rules/isolation/missing-tools.ts');
  const tools: HostTool[] = [];
  for (const name of missingTools(red)) {
    const path = findProgram(name, env['PATH']);
    if (path !== null) tools.push({ name, path, target: await realPath(path) });
  }
  const notice = toolchainNotice(tools, { isolation: isolation.name, home: env['HOME'] ?? homedir() });
  if (notice) emit(0, { type: 'notice', level: 'warning', ...notice });
}
