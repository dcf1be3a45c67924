import { appendLedger, readLedger } from '../../adapters/workspace/index.ts';
import { type LedgerIteration, type LedgerLine, NO_USAGE } from '../../contracts/index.ts';
import { laneMarkOf, type Misfit } from '../../rules/streams/index.ts';
import type { Crew, Lane, LaneLine } from './crew.ts';

/**
 * Copies lines about a lane's story from the lane's ledger to the run's: from then on they count for the limits,
 * budgets and attempts of the run. Doing it twice changes nothing.
 * @param holdLast the last line waits: whether it counts is decided when the story lands
 */
export async function takeOver(crew: Crew, lane: Lane, holdLast: boolean): Promise<void> {
  const lines = await ownLines(crew, lane);
  const taken = takenBy(crew.context.ledger);
  const untold = lines.filter(({ run, iteration }) => !taken.has(keyOf(run, iteration)));
  const last = holdLast ? lines.at(-1) : undefined;
  for (const line of untold) if (line !== last) await append(crew, asOfRun(crew, lane, line));
  lane.held = last !== undefined && untold.includes(last) ? asOfRun(crew, lane, last) : null;
}

/** Records the held line, with the commit that brings the whole story onto the branch. */
export async function takeLast(crew: Crew, lane: Lane, landed: { commit: string; subject: string }): Promise<void> {
  await takeOver(crew, lane, true);
  const last = (await ownLines(crew, lane)).at(-1);
  if (last === undefined || takenBy(crew.context.ledger).has(keyOf(last.run, last.iteration))) return;
  lane.held = null;
  await append(crew, { ...asOfRun(crew, lane, last), ...landed });
}

/** The number in the run of the lane's last iteration. */
export async function lastNumber(crew: Crew, lane: Lane): Promise<number> {
  const last = (await ownLines(crew, lane)).at(-1);
  return last === undefined ? 0 : crew.numberOf(last.run, last.iteration, lane.number);
}

/** Records the held line as failed: the story did not fit the branch. */
export async function takeLastAsMisfit(
  crew: Crew,
  lane: Lane,
  misfit: Misfit,
  change: Pick<LedgerIteration, 'reason' | 'rescue' | 'failure'>,
): Promise<void> {
  const lines = await ownLines(crew, lane);
  const last = lines.at(-1);
  if (last === undefined) return;
  const isTaken = takenBy(crew.context.ledger).has(keyOf(last.run, last.iteration));
  const line = asOfRun(crew, lane, last);
  lane.held = null;
  await append(crew, {
    ...line,
    // Its cost counts already; a separate line revokes what it says of the story.
    ...(isTaken ? { iteration: crew.numberOf(`${last.run} again`, last.iteration, lane.number), ...FREE } : {}),
    ...change,
    verdict: 'rejected',
    // The agent is not at fault: the breaker is no help here.
    counts: 'ignored',
    stateChanged: false,
    state: null,
    blocked: null,
    workFiles: 0,
    lane: { ...line.lane, misfit },
  });
}

const FREE = { costUsd: null, usage: NO_USAGE, calls: [] } as const;

export async function numbersOf(crew: Crew, lane: Lane): Promise<ReadonlyMap<number, number>> {
  const lines = await ownLines(crew, lane);
  return new Map(lines.map(({ run, iteration }) => [iteration, crew.numberOf(run, iteration, lane.number)]));
}

/** What the lane did for its story: the rest of its ledger is a copy of the run's. */
async function ownLines({ context }: Crew, lane: Lane): Promise<readonly LedgerIteration[]> {
  const copied = new Set(
    context.ledger.flatMap((line) => (line.kind === 'iteration' ? [keyOf(line.run, line.iteration)] : [])),
  );
  const lines: readonly LedgerLine[] = await readLedger(lane.git.repo.stateDir);
  return lines.filter(
    (line): line is LedgerIteration =>
      line.kind === 'iteration' && line.story === lane.work?.story && !copied.has(keyOf(line.run, line.iteration)),
  );
}

function takenBy(ledger: readonly LedgerLine[]): ReadonlySet<string> {
  const marks = ledger.flatMap((line) => laneMarkOf(line) ?? []);
  return new Set(marks.map(({ run, iteration }) => keyOf(run, iteration)));
}

function asOfRun({ context, numberOf }: Crew, lane: Lane, line: LedgerIteration): LaneLine {
  const { run, iteration } = line;
  return {
    ...line,
    run: context.run,
    iteration: numberOf(run, iteration, lane.number),
    // Commits of a lane may be dropped: the one that lands represents them.
    commit: null,
    subject: null,
    lane: { run, iteration },
  };
}

async function append({ context }: Crew, line: LaneLine): Promise<void> {
  await appendLedger(context.git.repo.stateDir, line);
  context.ledger.push(line);
}

const keyOf = (run: string, iteration: number) => `${run} ${iteration}`;
