import type { Config } from '../../contracts/config.ts';
import { ExitCode } from '../../contracts/model.ts';
import type { RunPorts, RunRequest } from '../../loop/context.ts';
import { type DryRun, dryRun } from '../../loop/dry-run.ts';
import type { Gate } from '../../rules/safeguards/api.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { waitText } from '../../surfaces/terminal/waiting.ts';
import { MODE_TEXT } from '../../surfaces/terminal/words.ts';
import { printJson, printLines } from '../shared/print.ts';
import { gateNow } from '../status/gate-now.ts';

/** `ralph run --dry-run`: the plan, then the prompt. */
export async function printDryRun(
  ports: Pick<RunPorts, 'git' | 'workspace' | 'clock'>,
  config: Config,
  request: RunRequest,
  json: boolean,
  io: Io,
): Promise<number> {
  const [plan, gate] = await Promise.all([dryRun(ports, config, request), gateNow(ports, config, request)]);
  if (json) printJson(io, { ...plan, gate });
  else printLines(io, planLines(plan, gateText(gate, ports.clock.now()), config));
  return plan.selection.kind === 'blocked' ? ExitCode.blocked : ExitCode.complete;
}

/** What would keep the run from its first iteration, or soon may; null when nothing does. */
function gateText(gate: Gate, now: number): string | null {
  switch (gate.kind) {
    case 'open':
      return gate.breaker.state === 'closed' ? null : `open, the circuit breaker half-open: ${gate.breaker.reason}`;
    case 'wait':
      return `closed: the run would wait · ${waitText(gate, now)}`;
    case 'end':
      return `closed: the run would end at once (${gate.reason}) · ${gate.text}`;
  }
}

function planLines(plan: DryRun, gate: string | null, config: Config): readonly string[] {
  const { total, done, blocked } = plan.counts;
  const { iterations, storiesLeft } = plan.estimate;
  const stories = `${counted(total, 'story', 'stories')}, ${done} done${blocked > 0 ? `, ${blocked} blocked` : ''}`;
  const needed = `${counted(storiesLeft, 'story', 'stories')} left need about ${iterations}`;
  return [
    'Dry run: nothing is written and no agent is started.',
    '',
    `backlog   ${plan.backlog}: ${plan.lonePrompt ? 'a prompt without stories' : stories}`,
    `branch    ${plan.branch ?? 'the one that is checked out'}`,
    `agent     ${config.agent.join(', ')}${config.model ? ` (${config.model})` : ''}`,
    `isolation ${isolationText(config)}`,
    `checks    ${plan.checks.length === 0 ? 'NONE: nothing would prove that a story works (verifyCommands)' : plan.checks.join(' · ')}`,
    `limit     ${counted(config.maxIterations, 'iteration')}${plan.lonePrompt ? '' : `; ${needed}`}`,
    ...(gate === null ? [] : [`gate      ${oneLine(gate)}`]),
    `first     ${first(plan)}`,
    ...plan.warnings.map(({ file, line, message }) => `warning   ${file}:${line}: ${message}`),
    ...(plan.prompt === null ? [] : ['', '--- prompt ---', plan.prompt.trimEnd()]),
  ];
}

/** The settings alone: a dry run starts nothing, and only a trial says what holds. */
function isolationText({ isolation: { backend, required } }: Config): string {
  if (backend === 'none' && !required) return 'none: agents and checks run with your own rights';
  const named = backend === 'auto' || backend === 'none' ? 'the best that proves to hold' : backend;
  const must = required || backend !== 'auto' ? ', or the run refuses to start' : '';
  return `${named}${must}; \`ralph sandbox\` tries it`;
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
