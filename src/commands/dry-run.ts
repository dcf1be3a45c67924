import type { Config } from '../contracts/config.ts';
import { ExitCode } from '../contracts/model.ts';
import type { RunPorts, RunRequest } from '../loop/context.ts';
import { type DryRun, dryRun } from '../loop/dry-run.ts';
import { counted } from '../surfaces/terminal/format.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';
import { MODE_TEXT } from '../surfaces/terminal/words.ts';
import { printJson, printLines } from './print.ts';

/** `ralph run --dry-run`: the plan, then the prompt. */
export async function printDryRun(
  ports: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  request: RunRequest,
  json: boolean,
  io: Io,
): Promise<number> {
  const plan = await dryRun(ports, config, request);
  if (json) printJson(io, plan);
  else printLines(io, planLines(plan, config));
  return plan.selection.kind === 'blocked' ? ExitCode.blocked : ExitCode.complete;
}

function planLines(plan: DryRun, config: Config): readonly string[] {
  const { total, done, blocked } = plan.counts;
  const { iterations, storiesLeft } = plan.estimate;
  return [
    'Dry run: nothing is written and no agent is started.',
    '',
    `backlog   ${plan.backlog}: ${counted(total, 'story', 'stories')}, ${done} done${blocked > 0 ? `, ${blocked} blocked` : ''}`,
    `branch    ${plan.branch ?? 'the one that is checked out'}`,
    `agent     ${config.agent.join(', ')}${config.model ? ` (${config.model})` : ''}`,
    `checks    ${plan.checks.length === 0 ? 'NONE: nothing would prove that a story works (verifyCommands)' : plan.checks.join(' · ')}`,
    `limit     ${counted(config.maxIterations, 'iteration')}; ${counted(storiesLeft, 'story', 'stories')} left need about ${iterations}`,
    `first     ${first(plan)}`,
    ...plan.warnings.map(({ file, line, message }) => `warning   ${file}:${line}: ${message}`),
    ...(plan.prompt === null ? [] : ['', '--- prompt ---', plan.prompt.trimEnd()]),
  ];
}

function first({ selection, attempt }: DryRun): string {
  switch (selection.kind) {
    case 'work':
      return oneLine(
        `${MODE_TEXT[selection.mode]} ${selection.story.id} ${selection.story.title}${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
      );
    case 'verify':
      return oneLine(`run the checks of ${selection.story.id} ${selection.story.title}; no agent is needed`);
    case 'complete':
      return 'nothing: every story is done';
    case 'wait':
      return 'nothing: other lanes work on what is left';
    case 'blocked':
      return `nothing: only blocked stories are left (${selection.stories.map(({ id, reason }) => oneLine(`${id}: ${reason}`)).join('; ')})`;
  }
}
