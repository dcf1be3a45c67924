import { RalphError, type RalphEvent } from '../../contracts/index.ts';
import {
  damage,
  falseMarks,
  forbiddenLines,
  leftovers,
  losses,
  unfitEnd,
  writtenInRun,
  wrongEnd,
} from './invariants.ts';
import type { Played } from './play.ts';
import type { Project } from './project.ts';
import type { Row } from './rows/row.ts';

/**
 * Everything that is wrong after the run of a row; empty when it held.
 * @param agent command that played the agent: it may have acted differently than the row says, so its verdicts are its
 *   own, and the files it wrote are unknown
 */
export async function judgeRow(
  row: Row,
  project: Project,
  played: Played,
  agent: string | null,
): Promise<readonly string[]> {
  const { run, events, timedOut, stderr, exitCode } = played;
  if (timedOut) return ['the run did not end', ...(await leftovers(run))];
  // Without an event the run was refused, and all other findings would repeat that.
  if (run === null) return [`the run did not begin (exit ${exitCode}): ${stderr.split('\n')[0] ?? ''}`];
  const scripted = agent === null;
  const invariants: readonly Invariant[] = [
    () => (scripted ? wrongEnd(project, played, row.expect) : unfitEnd(project, played)),
    async () => (scripted ? forbiddenLines(project, played, row.expect.neverSaid ?? []) : []),
    () => leftovers(run),
    () => falseMarks(project, events),
    async () => losses(project, scripted ? await writtenInRun(project.scenario, events) : new Map()),
    () => damage(project),
  ];
  const complaints: string[] = [];
  for (const invariant of invariants) complaints.push(...(await complaintsOf(invariant)));
  return [...new Set(complaints)];
}

type Invariant = () => Promise<readonly string[]>;

/** State destroyed beyond reading is a complaint, too. */
async function complaintsOf(invariant: Invariant): Promise<readonly string[]> {
  try {
    return await invariant();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return [`cannot be judged: ${error.message}`];
  }
}

export function conclusionOf({ reason, verdicts, timedOut, events, stderr }: Played): string {
  if (timedOut) return 'did not end';
  const end = events.findLast((event): event is Extract<RalphEvent, { type: 'run-end' }> => event.type === 'run-end');
  if (reason === null || end === undefined) return stderr.split('\n')[0] ?? 'no end';
  const { total, done } = end.stories;
  return `${reason}, ${done} of ${total} done: ${verdicts.join(', ')}`;
}
