import type { Git } from '../../adapters/git/index.ts';
import { loadOrThrow, writeFiles } from '../../adapters/workspace/index.ts';
import type { CheckResult, Story } from '../../contracts/index.ts';
import { isLoopsOwn, runChecks } from '../../loop/index.ts';
import { crashpoint } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { checkCommands, greenCommands, redAtBaseline } from '../../rules/judge/index.ts';
import { type Crew, type Lane, type LaneWork, loopTexts, setWork } from './crew.ts';
import { type LandingLane, type Merged, mergeIntoBranch } from './merge.ts';
import { abandon, insideLane, keepWork, type MisfitFacts, sendBack } from './misfit.ts';
import { lastNumber, takeLast } from './take-over.ts';

/** The result of a landing; `stuck`: nothing changed, and a person has to clear the way. */
type Landed =
  | { readonly kind: 'landed' | 'sent-back' | 'stopped' }
  | { readonly kind: 'stuck'; readonly text: string; readonly mend: string };

/**
 * Lands the story of a lane on the branch: merges it with what landed before, checks the result, and only then moves
 * the branch. One at a time. A story that conflicts, or fails only now, starts again; for a blocked one this is only
 * reported.
 */
export async function land(crew: Crew, lane: Lane): Promise<Landed> {
  const { signal } = crew.context;
  const landing = await landingOf(crew, lane);
  const finished = await finishMove(crew, landing);
  if (finished) return finished;
  const why = await unsoundness(crew, landing.work, landing.work.landing.head, await storyOf(crew, landing));
  if (why !== null) {
    await abandon(crew, lane, why);
    return { kind: 'sent-back' };
  }
  for (let withWork = true; ; ) {
    const merged = await crew.alone(() => mergeIntoBranch(crew, landing, withWork));
    const facts = await misfitOf(crew, landing, merged, withWork);
    if (signal.aborted) return { kind: 'stopped' };
    if (merged.kind === 'merged' && facts === null) {
      const moved = await move(crew, landing, merged);
      if (moved) return moved;
    } else if (facts !== null && landing.work.landing.blocked && withWork) {
      await keepWork(
        crew,
        landing.work.landing.head,
        `${landing.work.story} is blocked, and did not fit: ${facts.why}`,
      );
      withWork = false;
    } else if (facts !== null) {
      await sendBack(crew, landing, facts);
      return { kind: 'sent-back' };
    }
  }
}

async function landingOf({ context }: Crew, lane: Lane): Promise<LandingLane> {
  const { work } = lane;
  if (work?.landing == null) throw new Error(`lane ${lane.number} has nothing to land`);
  // After checks of an earlier try it is at the merged commit.
  await lane.git.resetTo(work.landing.head);
  const texts = await loopTexts(lane.git.repo.root, context.workspace);
  return { lane, work: { ...work, landing: work.landing }, texts };
}

async function storyOf({ context }: Crew, { work }: LandingLane): Promise<Story | undefined> {
  const { document } = await loadOrThrow(context.workspace);
  return document.backlog.stories.find(({ id }) => id === work.story);
}

/**
 * Finishes what a crash interrupted between the checks and the end. null where nothing was begun, or the branch was
 * moved.
 */
async function finishMove(crew: Crew, landing: LandingLane): Promise<Landed | null> {
  const begun = landing.work.landing.move;
  if (begun === null) return null;
  const { git } = crew.context;
  const head = await git.resolve(begun.branch);
  const isThere = head !== null && head !== begun.to && (await git.descends(head, begun.to));
  return isThere ? settle(crew, landing, begun) : advance(crew, landing, begun);
}

async function misfitOf(
  crew: Crew,
  { lane, work }: LandingLane,
  merged: Merged,
  withWork: boolean,
): Promise<MisfitFacts | null> {
  if (merged.kind === 'conflict') {
    return { misfit: 'conflict', why: `both changed ${listed(merged.paths)}`, checks: [] };
  }
  if (!withWork || !(await hasMoved(crew, work.base, merged.from))) return null;
  const failing = await failingWhenMerged(crew, lane, merged);
  if (failing.length === 0) return null;
  const why = `green in its lane, red together with the branch: ${listed(failing.map(({ command }) => command))}`;
  return { misfit: 'red', why, checks: failing };
}

/** Whether other work is on the branch since; otherwise the tree is the one that was checked in the lane. */
async function hasMoved({ context: { git, workspace } }: Crew, base: string, head: string): Promise<boolean> {
  return base !== head && (await git.changes(base, head)).some(({ path }) => !isLoopsOwn(workspace, path));
}

type Move = NonNullable<LandingLane['work']['landing']['move']>;

/** null: the branch was moved meanwhile, so everything has to be repeated. */
async function move(
  crew: Crew,
  landing: LandingLane,
  { from, to, subject, ignored }: Extract<Merged, { kind: 'merged' }>,
): Promise<Landed | null> {
  const begun = { branch: crew.branch, from, to, subject, ignored };
  await setWork(landing.lane, { ...landing.work, landing: { ...landing.work.landing, move: begun } });
  crashpoint('lane-landing');
  return advance(crew, landing, begun);
}

async function advance(crew: Crew, landing: LandingLane, begun: Move): Promise<Landed | null> {
  const { git } = crew.context;
  const { branch, from: expected, to } = begun;
  const moved = await crew.alone(() => git.advanceBranch({ branch, expected, to }));
  if (moved.kind === 'moved-by-someone') return null;
  if (moved.kind === 'in-the-way') {
    const text = `${landing.work.story} is done and cannot land: ${listed(moved.paths)} in your work tree would be overwritten`;
    return { kind: 'stuck', text, mend: 'move it away or commit it, then start again with --parallel' };
  }
  crashpoint('lane-landed');
  return settle(crew, landing, begun);
}

/** The work is on the branch: does everything that follows. Doing it twice changes nothing. */
async function settle(crew: Crew, { lane, work }: LandingLane, { to, subject, ignored }: Move): Promise<Landed> {
  const { context } = crew;
  // Only the loop's files; the others are in the commit.
  await writeFiles(context.git.repo.root, ignored);
  await takeLast(crew, lane, { commit: to, subject });
  await setWork(lane, null);
  const what = work.landing.blocked ? 'is blocked; what was done for it is' : 'landed';
  const text = `${work.story} ${what} on ${crew.branch}: ${to.slice(0, 9)}.`;
  context.emit(0, { type: 'notice', level: 'info', text });
  return { kind: 'landed' };
}

/** At most three, for people and prompts. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/**
 * Runs the checks of a story on the merged tree, in the lane's work tree, where their dependencies are installed.
 * @returns failing checks that did not fail before the run
 */
async function failingWhenMerged(
  crew: Crew,
  lane: Lane,
  merged: Extract<Merged, { kind: 'merged' }>,
): Promise<readonly CheckResult[]> {
  const { context } = crew;
  const { config, record, ledger } = context;
  const commands = checkCommands(config, merged.backlog, merged.story);
  if (commands.length === 0) return [];
  await lane.git.resetTo(merged.to);
  const known = redAtBaseline(record, greenCommands(record, ledger));
  const iteration = await lastNumber(crew, lane);
  const results = await insideLane(crew, lane, (inside) =>
    runChecks(inside, iteration, { commands, redBefore: known }),
  );
  return results.filter(({ ok, command }) => !ok && !known.has(command));
}

/** More commits than this are not examined one by one. */
const MOST_COMMITS = 200;

/**
 * Whether the lane's work can be merged as work on its story: the merge takes the difference from `work.base`, so both
 * sides must build on it; otherwise it would revert what landed since.
 * @param head the lane's result for the story
 * @returns why not, in a few words; null when it can
 */
export async function unsoundness(
  { context: { git }, branch }: Pick<Crew, 'context' | 'branch'>,
  { base }: LaneWork,
  head: string,
  story: Story | undefined,
): Promise<string | null> {
  if (story !== undefined && isDone(story)) return 'it is done on the branch';
  const there = await git.resolve(branch);
  if (there === null || !(await git.descends(there, base))) return `${branch} does not hold any more what it began on`;
  if (!(await git.descends(head, base))) return 'its commits do not build on what it began on';
  const others = story === undefined ? [] : await otherStories(git, base, head, story.safeId);
  return others.length === 0 ? null : `its commits are work on ${others.join(', ')}`;
}

/** Stories named by the loop's commits in `base..head`, except one. An agent's own commits do not count. */
async function otherStories(git: Git, base: string, head: string, safeId: string): Promise<readonly string[]> {
  const { commits } = await git.commitsBetween(base, head, MOST_COMMITS);
  const views = await Promise.all(commits.map(({ id }) => git.commitView(id)));
  const told = views.flatMap((view) => [...(view?.body ?? '').matchAll(/^Ralph-Story: (.+)$/gm)].map(([, id]) => id));
  return [...new Set(told.filter((id) => id !== undefined && id !== safeId))] as string[];
}
