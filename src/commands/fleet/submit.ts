import { UsageError } from '../../contracts/errors.ts';
import { FLEET_TASK_VERSION, type FleetTask } from '../../streams/fleet/task.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { countOf, dollarsOf, given, isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { chooseSubmission, conflictWith, type LeftOut } from './choose-submission.ts';
import { withFleet } from './engine.ts';
import { publishBranch } from './publish-branch.ts';
import { submissionName } from './submission-name.ts';

/** What became of one stream. */
interface Submitted {
  readonly stream: string;
  readonly branch: string;
  readonly push: 'pushed' | 'there' | 'remote-is-ahead';
  readonly submit: 'submitted' | 'already';
}

/**
 * `ralph fleet submit`: sees to it that the shared remote has the branch of each stream, and hands the streams to the
 * fleet. This is the person's own push, and the only one: agents cannot, and workers push what they were handed.
 */
export async function submit(args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const remote = textOf(flags, 'remote') ?? io.env['RALPH_REMOTE'] ?? 'origin';
  const branch = textOf(flags, 'branch') ?? null;
  if (branch !== null && args.length > 1) {
    throw new UsageError({ what: '--branch names the branch of one stream', mend: ['submit the streams one by one'] });
  }
  const { streams, leftOut } = await chooseSubmission({ git, branch, remote, flags, io }, args);
  const maxIterations = countOf(flags, 'maxIterations') ?? null;
  const limits = given({
    concurrency: countOf(flags, 'concurrency'),
    calls: countOf(flags, 'calls'),
    maxCost: dollarsOf(flags, 'maxCost'),
  });
  const refused: LeftOut[] = [...leftOut];
  // Before anything is pushed: a fleet that is not there takes nothing.
  const results = await withFleet(flags, io, async (client) => {
    if (Object.keys(limits).length > 0) await client.setLimits(limits);
    const told: Submitted[] = [];
    const known = await client.status();
    for (const one of streams) {
      const conflict = conflictWith(one, known);
      if (conflict !== null) {
        refused.push({ stream: one.stream, why: conflict, open: true });
        continue;
      }
      const push = await publishBranch(git, one, remote, io);
      const { stream, specDir } = one;
      const task: FleetTask = {
        version: FLEET_TASK_VERSION,
        submission: submissionName(),
        branch: one.branch,
        specDir,
        maxIterations,
      };
      told.push({ stream, branch: one.branch, push, submit: await client.submit({ stream, task }) });
    }
    return told;
  });
  if (isOn(flags, 'json')) printJson(io, { limits, streams: results, leftOut: refused });
  else printLines(io, [...results.map(lineOf), ...refused.map(leftOutLine), ...hint(results)]);
  return refused.some(({ open }) => open) ? 1 : 0;
}

const PUSH_TEXT: Readonly<Record<Submitted['push'], string>> = {
  pushed: 'pushed as it is here',
  there: 'the remote has it',
  'remote-is-ahead': 'the remote has commits that are not here: the fleet goes on from those',
};

function lineOf({ stream, branch, push, submit: kind }: Submitted): string {
  const taken = kind === 'submitted' ? 'submitted' : 'is with the fleet already';
  return `${oneLine(stream)} ${taken}: branch ${oneLine(branch)} (${PUSH_TEXT[push]})`;
}

function leftOutLine({ stream, why }: LeftOut): string {
  return `${oneLine(stream)} is left out: ${oneLine(why)}`;
}

function hint(results: readonly Submitted[]): readonly string[] {
  if (results.length === 0) return [];
  return [
    '',
    `${counted(results.length, 'stream')}: \`ralph fleet status\` shows ${results.length === 1 ? 'it' : 'them'}`,
  ];
}
