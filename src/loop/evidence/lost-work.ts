import type { Git } from '../../adapters/git/index.ts';
import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import {
  LEDGER_VERSION,
  type LedgerLine,
  type Story,
  type TamperFinding,
  type Violation,
} from '../../contracts/index.ts';
import { editBacklog, isDone } from '../../rules/backlog/index.ts';
import {
  acceptedSteps,
  byStory,
  isAcceptedAsUndone,
  isUndone,
  STORY_UNDONE,
  type Step,
  undoneDetail,
} from '../../rules/safeguards/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Ended, RunContext } from '../context.ts';
import { isLoopsOwn } from '../protect/loop-files.ts';
import { UNTOUCHED } from '../steering/words.ts';

/*
 * Accepted work that has disappeared: because an agent went back in the history, or reverted the files of another
 * story; and a last check before a run ends. All of it compares trees: commits say what was done, not what is there.
 */

type Reads = Pick<Git, 'changes' | 'changedBy' | 'descends'>;

/** Where to look for accepted work. */
export interface Place {
  readonly git: Reads;
  readonly ledger: readonly LedgerLine[];
  readonly workspace: Workspace;
}

/** The difference between two commits never changes: each is requested once per process. */
const known = new WeakMap<Reads, WeakMap<Omit<Step, 'paths'>, Step>>();

/** Accepted work with its paths; empty where git cannot tell, e.g. after a person ran `git gc` on a dropped branch. */
async function stepsOf({ git, ledger, workspace }: Place, except?: string): Promise<readonly Step[]> {
  const memory = known.get(git) ?? new WeakMap<Omit<Step, 'paths'>, Step>();
  known.set(git, memory);
  const steps = acceptedSteps(ledger).filter(({ story }) => story !== except);
  const asked = steps.filter((step) => !memory.has(step));
  const answers = asked.length === 0 ? [] : await git.changedBy(asked);
  for (const [at, step] of asked.entries()) {
    const paths = answers[at];
    // The loop writes its own files in every commit: they do not count as work.
    const own = paths && new Set(paths.filter((path) => !isLoopsOwn(workspace, path)));
    const { run, story, base, commit } = step;
    // Named: what `...step` begins gets a hidden class of its own each time, larger than the step.
    if (own) memory.set(step, { run, story, base, commit, paths: own });
  }
  return steps.flatMap((step) => memory.get(step) ?? []);
}

async function differing(git: Reads, from: string, to: string): Promise<ReadonlySet<string>> {
  return new Set((await git.changes(from, to)).map(({ path }) => path));
}

/** Whether a tree has undone everything that the steps of one story changed. */
async function areUndone(git: Reads, steps: readonly Step[], tree: string): Promise<boolean> {
  const [first] = steps;
  return first !== undefined && isUnchangedSince(git, steps, await differing(git, first.base, tree));
}

/** The same, given what differs between before the story and now. */
async function isUnchangedSince(git: Reads, steps: readonly Step[], since: ReadonlySet<string>): Promise<boolean> {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return false;
  // If every path still differs, the effect of each need not be requested.
  if (steps.every(({ paths }) => [...paths].every((path) => since.has(path)))) return false;
  const effect = first === last ? first.paths : await differing(git, first.base, last.commit);
  return isUndone(steps, { effect, since });
}

/**
 * Accepted work lost because the agent went back: its HEAD no longer builds on the checkpoint, and a file is in its
 * state before a commit that was left behind. Merely squashing the history loses nothing.
 * @param tree the work tree to be judged
 */
export async function historyLost(
  place: Place,
  { header, checkpoint, after }: Ended,
  { tree, work }: { readonly tree: string; readonly work: readonly string[] },
): Promise<readonly Violation[]> {
  const { git } = place;
  if (after.head === checkpoint.head || (await git.descends(after.head, checkpoint.head))) return [];
  const changed = new Set(work);
  const lost: Violation[] = [];
  for (const { story, base, commit, paths } of await stepsOf(place, header.story)) {
    const affected = [...paths].filter((path) => changed.has(path));
    if (affected.length === 0 || (await git.descends(after.head, commit))) continue;
    const since = await differing(git, base, tree);
    const [first, ...more] = affected.filter((path) => !since.has(path));
    if (first === undefined) continue;
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    lost.push({
      rule: 'history-lost',
      story,
      field: first,
      message: `The branch was reset to before ${commit.slice(0, 12)} (${story}), and ${shellWord(first)}${others} lost what that commit changed. Build on the existing commits; never reset past them.`,
    });
  }
  return lost;
}

/**
 * Stories that count as finished and whose whole effect the iteration undid in the tree, as findings that a review has
 * to answer. What a parked story left behind may be removed.
 */
export async function storiesUndone(
  place: Place,
  { header, checkpoint, snapshot }: Ended,
  { tree, work }: { readonly tree: string; readonly work: readonly string[] },
): Promise<readonly TamperFinding[]> {
  if (work.length === 0) return [];
  const { git } = place;
  const changed = new Set(work);
  const found: TamperFinding[] = [];
  const stories = snapshot.document?.backlog.stories ?? [];
  const finished = new Set(stories.filter((one) => isDone(one) || isUnderReview(one)).map(({ id }) => id));
  const all = await stepsOf(place, header.story);
  const touched = new Set(all.filter(({ paths }) => work.some((path) => paths.has(path))).map(({ story }) => story));
  if (touched.size === 0) return [];
  for (const [story, steps] of byStory(all)) {
    if (!finished.has(story) || !touched.has(story)) continue;
    const path = steps.flatMap(({ paths }) => [...paths]).find((one) => changed.has(one));
    if (path === undefined || !(await areUndone(git, steps, tree))) continue;
    // An iteration that only touches what was already lost undid nothing.
    if (await areUndone(git, steps, checkpoint.tree)) continue;
    found.push({ kind: STORY_UNDONE, path, line: 1, detail: undoneDetail(story), severity: 'high' });
  }
  return found;
}

function isUnderReview({ reviewStatus, blocked }: Story): boolean {
  return reviewStatus === 'needs_review' && blocked === undefined;
}

/** The findings about undone stories that still apply to a tree. */
export async function stillUndone(
  place: Place,
  tree: string,
  found: readonly TamperFinding[],
): Promise<readonly TamperFinding[]> {
  const steps = byStory(await stepsOf(place));
  const holding: TamperFinding[] = [];
  for (const finding of found) {
    const story = [...steps.keys()].find((id) => undoneDetail(id) === finding.detail);
    if (story !== undefined && (await areUndone(place.git, steps.get(story) ?? [], tree))) holding.push(finding);
  }
  return holding;
}

/**
 * The last check of a run: whether the changes of done stories are still on the branch. A story whose work is lost is
 * reopened, unless a review accepted the loss with a reason, or a person changed the branch there. Only when the run
 * did work: a run that finds everything done skips this.
 * @returns the stories that are no longer done
 */
export async function reopenLost(context: RunContext): Promise<readonly string[]> {
  const { git, ledger, run, workspace, clock, emit } = context;
  if (!acceptedSteps(ledger).some((step) => step.run === run)) return [];
  const { document } = await loadOrThrow(workspace);
  if (document.format === 'prompt') return [];
  const done = new Set(document.backlog.stories.filter(isDone).map(({ id }) => id));
  const steps = await stepsOf(context);
  const stories = [...byStory(steps)].filter(([story]) => done.has(story));
  const tip = await git.resolve('HEAD');
  if (tip === null) return [];
  // One process for all stories: a run may have many.
  const since = await git.changedBy(stories.map(([, own]) => ({ base: own[0]?.base ?? tip, commit: tip })));
  const lost: string[] = [];
  for (const [at, [story, own]] of stories.entries()) {
    const changed = since[at];
    if (!changed || !(await isUnchangedSince(git, own, new Set(changed)))) continue;
    if (isAcceptedAsUndone(ledger, story) || (await isByUser(git, own, steps, run))) continue;
    lost.push(story);
  }
  if (lost.length === 0) return [];
  const feedback = 'The changes of this story are no longer on the branch.';
  // The backlog first: once the ledger has the line, the lost commits no longer count, and no later run would look.
  const edits = lost.map((id) => ({ kind: 'set', id, fields: { ...UNTOUCHED, reviewFeedback: feedback } }) as const);
  const edited = editBacklog(document, edits);
  await writeFiles(git.repo.root, {
    [edited.file]: edited.text,
    ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
  });
  for (const story of lost) {
    const line = { version: LEDGER_VERSION, kind: 'reset', story, at: clock.now(), decision: 'reopen' } as const;
    await appendLedger(git.repo.stateDir, line);
    ledger.push(line);
    emit(0, { type: 'story', story, from: 'done', to: 'open', reason: feedback });
    const text = `${story} is no longer done: all its changes are gone.`;
    const fix = `it is open again; \`ralph log\` shows its commits`;
    emit(0, { type: 'notice', level: 'error', text, fix });
  }
  return lost;
}

/**
 * Whether a person undid the work: a commit of an earlier run that is not on this branch belongs to another branch,
 * and a change between two steps of the loop, or after the last one, is not an agent's.
 */
async function isByUser(git: Reads, own: readonly Step[], steps: readonly Step[], run: string): Promise<boolean> {
  const last = own.at(-1);
  if (last === undefined) return true;
  if (!(await git.descends('HEAD', last.commit))) return last.run !== run;
  const paths = own.flatMap((step) => [...step.paths]);
  const later = steps.slice(steps.indexOf(last));
  const gaps = later.map(({ commit }, at) => [commit, later[at + 1]?.base ?? 'HEAD'] as const);
  for (const [from, to] of gaps) {
    const changed = await differing(git, from, to);
    if (paths.some((path) => changed.has(path))) return true;
  }
  return false;
}
