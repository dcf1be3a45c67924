import type { CheckResult } from '../../contracts/model.ts';
import { crashpoint } from '../../platform/crashpoint.ts';
import type { Misfit } from '../../rules/streams/lanes.ts';
import { type Crew, type Lane, setWork } from './crew.ts';
import type { LandingLane } from './merge.ts';
import { recoverLane } from './recover-lane.ts';
import { takeLastAsMisfit, takeOver } from './take-over.ts';

export interface MisfitFacts {
  readonly misfit: Misfit;
  /** What stood in the way, in a few words. */
  readonly why: string;
  /** Checks that are red on the merged tree. */
  readonly checks: readonly CheckResult[];
}

/**
 * A story that was done in its lane, and does not fit into the branch, starts again from the branch as it is now. What
 * it was is kept as a rescue; the next prompt tells what happened.
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

/** Nobody works on the story of a lane any more: what was done for it is kept, and the lane is free. */
export async function abandon(crew: Crew, lane: Lane, why: string): Promise<void> {
  const { work, git } = lane;
  if (work === null) return;
  // What an interrupted iteration cost counts, and nothing of it is left to come back.
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

/** The commits of a lane, under the names that people know of what was taken back. @returns the full ref */
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
