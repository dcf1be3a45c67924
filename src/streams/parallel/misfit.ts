import { findWorkspace, readJournal, readLedger } from '../../adapters/workspace/index.ts';
import type { CheckResult } from '../../contracts/index.ts';
import { openRoom, type RunContext, recover } from '../../loop/index.ts';
import { crashpoint } from '../../platform/index.ts';
import type { Misfit } from '../../rules/streams/index.ts';
import { type Crew, type Lane, setWork } from './crew.ts';
import type { LandingLane } from './merge.ts';
import { takeLastAsMisfit, takeOver } from './take-over.ts';

export interface MisfitFacts {
  readonly misfit: Misfit;
  /** What was in the way, in a few words. */
  readonly why: string;
  readonly checks: readonly CheckResult[];
}

/**
 * A story that was done in its lane but does not fit the branch starts again from the current branch. Its work is kept
 * as a rescue; the next prompt says what happened.
 */
export async function sendBack(crew: Crew, { lane, work }: LandingLane, facts: MisfitFacts): Promise<void> {
  const { context } = crew;
  const { story } = work;
  const { misfit, why, checks } = facts;
  const rescue = await keepWork(crew, work.landing.head, `${story} did not fit: ${why}`);
  const diffStat = await context.git.diffStat(work.base, work.landing.head, 20);
  const reason = `it was done, but not together with what landed meanwhile: ${why}`;
  await takeLastAsMisfit(crew, lane, misfit, { reason, rescue, failure: { reason, checks, rescue, diffStat } });
  await setWork(lane, null);
  context.emit(0, { type: 'story', story, from: 'done in its lane', to: 'to do', reason: why });
}

/** Ends the work on a lane's story: what was done is kept, and the lane is free. */
export async function abandon(crew: Crew, lane: Lane, why: string): Promise<void> {
  const { work, git } = lane;
  if (work === null) return;
  // The cost of an interrupted iteration counts, and nothing of it may come back later.
  await recoverLane(crew, lane);
  crashpoint('lane-recovered');
  await takeOver(crew, lane, false);
  const head = work.landing?.head ?? (await git.resolve('HEAD'));
  if (head !== null && head !== work.base) {
    const ref = await keepWork(crew, head, `${work.story} is no longer worked on in its lane: ${why}`);
    crashpoint('lane-kept');
    const text = `${work.story} is no longer worked on in lane ${lane.number}: ${why}.`;
    const mend = `what was done for it: ralph rescue show ${ref.replace('refs/ralph/rescue/', '')}`;
    crew.context.emit(0, { type: 'notice', level: 'warning', text, mend });
  }
  await setWork(lane, null);
  crashpoint('lane-free');
}

/** Keeps the commits of a lane under the usual names of rolled-back work. @returns the full ref */
export async function keepWork({ context }: Crew, head: string, subject: string): Promise<string> {
  const { git, run, clock, ledger } = context;
  const iteration = ledger.findLast((line) => line.kind === 'iteration' && line.run === run);
  const { ref } = await git.rescue({
    run,
    iteration: iteration?.kind === 'iteration' ? iteration.iteration : 0,
    tree: await git.treeWith(head, {}),
    parents: [head],
    subject: `rescue: ${subject}`,
    date: clock.now(),
  });
  return ref;
}

/**
 * Finishes or rolls back what a crash interrupted in a lane whose story gets no further turn. Otherwise the first turn
 * on another story would do it, and restore the work tree to its state before that story began.
 */
async function recoverLane(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const entry = await readJournal(stateDir, 0);
  if (entry === null || entry.phase === 'done') return;
  const ledger = [...(await readLedger(stateDir))];
  const { run } = entry;
  await insideLane(crew, lane, (inside) =>
    recover({
      ...inside,
      run,
      ledger,
      // Anything left to report is reported where the work is kept.
      emit: () => undefined,
    }),
  );
}

/** Runs a task in the lane's work tree as the run does in its own, in that work tree's isolation. */
export async function insideLane<T>(
  { context, openRun }: Crew,
  { git }: Lane,
  task: (inside: RunContext) => Promise<T>,
): Promise<T> {
  const { config, run, egress } = context;
  const { root } = git.repo;
  const workspace = await findWorkspace({
    root,
    cwd: root,
    flags: { ralphDir: context.workspace.specDir },
    env: {},
  });
  const opened = await openRun({ git, workspace, config });
  const { isolation, checksIsolation } = opened;
  const room =
    opened.room && (await openRoom(opened.room, { config, env: context.env, git, run, onRefusal: egress.refused }));
  const insides = [...new Set([isolation, checksIsolation])];
  try {
    await Promise.all(insides.map((one) => one.prepare({ run, localPorts: [], onRefusal: egress.refused })));
    return await task({ ...context, git, workspace: opened.workspace, isolation, checksIsolation, room });
  } finally {
    await Promise.all([...insides.map((one) => one.dispose()), room?.close()]);
    await opened.close();
  }
}
