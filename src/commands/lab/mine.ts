import { workspaceAt } from '../../adapters/workspace/index.ts';
import { ExitCode, UsageError } from '../../contracts/index.ts';
import { labFolder, type Mined, mine } from '../../lab/index.ts';
import type { LabTask } from '../../rules/lab/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import { type Column, type Io, paintFor, renderColumns } from '../../surfaces/terminal/index.ts';
import { countOf, isOn, type RawFlags, textsOf } from '../shared/flags.ts';
import { configOf, openProject } from '../shared/open.ts';
import { printResult, widthOf } from '../shared/print.ts';
import { checksOnly } from '../shared/turn-ports.ts';
import { withSignals } from '../shared/with-signals.ts';

/** `ralph lab mine [RANGE]` */
export async function mineHistory([range = 'HEAD']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  const { config, warnings } = await configOf(git, io, 'refuse');
  const tell = (text: string) => void io.stderr.write(`${oneLine(text)}\n`);
  for (const warning of warnings) tell(`warning: ${warning}`);
  const asked = textsOf(flags, 'check');
  if (asked.some((command) => command.trim() === '')) throw new UsageError({ what: '--check needs a command' });
  return withSignals(async (signal) => {
    const mined = await mine({
      git,
      workspace: await workspaceAt(git.repo.root, '.ralph/lab'),
      config,
      env: io.env,
      signal,
      openRun: (lane) => checksOnly(io, `lab-${lane}`),
      range,
      most: countOf(flags, 'limit') ?? 200,
      repeat: countOf(flags, 'repeat') ?? 3,
      parallel: countOf(flags, 'parallel') ?? 1,
      checks: asked.length > 0 ? asked : config.verifyCommands,
      again: isOn(flags, 'again'),
      tell,
    });
    const { tasks, dropped } = mined;
    printResult(io, flags, { tasks, dropped }, minedLines(mined, labFolder(git), io));
    if (signal.aborted) return signal.reason === 'interrupted' ? ExitCode.interrupted : ExitCode.terminated;
    return tasks.length > 0 ? ExitCode.complete : ExitCode.incomplete;
  });
}

const COLUMNS: readonly Column<LabTask>[] = [
  { title: 'task', text: ({ id }) => id },
  { title: 'lines', text: ({ size }) => `+${size.added} -${size.removed}`, align: 'right' },
  { title: 'files', text: ({ size }) => String(size.files), align: 'right' },
  { title: 'tests', text: ({ tests }) => String(tests.length), align: 'right' },
  { title: 'judged in', text: ({ judgeSeconds }) => `${judgeSeconds.toFixed(1)}s`, align: 'right' },
  { title: 'story', text: ({ story }) => oneLine(story.title), flexible: true },
];

const WAYS: readonly (readonly [reason: string, way: string])[] = [
  ['set-up failed', 'name the commands that install what the checks need in `checks.setup`'],
  ['no checks', 'name the commands that judge with `--check`, or in `verifyCommands`'],
];

function minedLines({ tasks, dropped, looked, left }: Mined, folder: string, io: Io): readonly string[] {
  const reasons = new Map<string, number>();
  for (const { reason } of dropped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const counts = [...reasons].sort(([, one], [, other]) => other - one);
  return [
    ...(tasks.length > 0 ? [...renderColumns(COLUMNS, tasks, widthOf(io), paintFor(io)), ''] : []),
    `${counted(tasks.length, 'task')} in ${counted(looked, 'commit')}`,
    ...counts.map(([reason, count]) => `  ${count} dropped: ${oneLine(reason)}`),
    ...(left > 0 ? [`  ${left} not tried yet: the same command continues`] : []),
    ...WAYS.flatMap(([reason, way]) =>
      reasons.has(reason) ? [`${reason}: ${way}, then \`ralph lab mine --again\``] : [],
    ),
    `stories to edit: ${folder}/tasks.json`,
    ...(tasks.length > 0 ? ['next: ralph lab run --agents claude,codex'] : []),
  ];
}
