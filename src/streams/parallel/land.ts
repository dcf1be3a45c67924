import { loadOrThrow, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import type { Story } from '../../contracts/model.ts';
import { isLoopsOwn } from '../../loop/keep/loop-files.ts';
import { crashpoint } from '../../platform/crashpoint.ts';
import { failingWhenMerged } from './check-merged.ts';
import { type Crew, type Lane, setWork } from './crew.ts';
import { type LandingLane, type Merged, mergeIntoBranch } from './merge.ts';
import { abandon, keepWork, type MisfitFacts, sendBack } from './misfit.ts';
import { unsoundness } from './sound.ts';
import { takeLast } from './take-over.ts';
import { loopTexts } from './texts.ts';

/** What came of a landing; `stuck`: nothing changed, and a person has to make way. */
export type Landed =
  | { readonly kind: 'landed' | 'sent-back' | 'stopped' }
  | { readonly kind: 'stuck'; readonly text: string; readonly mend: string };

/**
 * Brings the story of a lane onto the branch: merged with what landed before, checked like that, and only then there.
 * One at a time. A story that conflicts, or is red only now, starts again; of one that is blocked then only that is told.
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
  // After checks of an earlier try it stands at the merged commit.
  await lane.git.resetTo(work.landing.head);
  const texts = await loopTexts(lane.git.repo.root, context.workspace);
  return { lane, work: { ...work, landing: work.landing }, texts };
}

async function storyOf({ context }: Crew, { work }: LandingLane): Promise<Story | undefined> {
  const { document } = await loadOrThrow(context.workspace);
  return document.backlog.stories.find(({ id }) => id === work.story);
}

/** What a crash cut off between the checks and the end. Null where nothing was begun, or somebody moved the branch. */
async function finishMove(crew: Crew, landing: LandingLane): Promise<Landed | null> {
  const begun = landing.work.landing.move;
  if (begun === null) return null;
  const { git } = crew.context;
  const head = await git.resolve(begun.branch);
  const isThere = head !== null && head !== begun.to && (await git.descends(head, begun.to));
  return isThere ? settle(crew, landing, begun) : advance(crew, landing, begun);
}

/** Why the story does not fit; null when it does. */
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

/** Whether anybody else's work is on the branch since; else the tree is the one that was checked in the lane. */
async function hasMoved({ context: { git, workspace } }: Crew, base: string, head: string): Promise<boolean> {
  return base !== head && (await git.changes(base, head)).some(({ path }) => !isLoopsOwn(workspace, path));
}

type Move = NonNullable<LandingLane['work']['landing']['move']>;

/** Null: somebody moved the branch meanwhile, so that everything is to be done again. */
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

/** The work is on the branch: whatever else follows from that. Doing it twice changes nothing. */
async function settle(crew: Crew, { lane, work }: LandingLane, { to, subject, ignored }: Move): Promise<Landed> {
  const { context } = crew;
  // Of the loop's files only; the others are in the commit.
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
