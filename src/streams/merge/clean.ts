import type { Git, MergeOutcome } from '../../adapters/git/index.ts';
import { type Config, GitRefusal } from '../../contracts/index.ts';
import { isUnder } from '../../loop/index.ts';
import { type BacklogDocument, readReceipts } from '../../rules/backlog/index.ts';
import { branchMessage, storyMessage, type ToldStory } from '../../rules/evidence/index.ts';
import {
  NO_BONDS,
  type Portion,
  type Stretch,
  stretchesOf,
  type WorkCommit,
  withBond,
} from '../../rules/streams/index.ts';
import { finishedBefore } from './finished.ts';
import type { Sides } from './sides.ts';

interface CleanInput {
  readonly git: Git;
  readonly sides: Sides;
  readonly config: Config;
  /** As it is on the working branch. */
  readonly document: BacklogDocument;
  /** Files and folders of ralph's, relative to the work tree. */
  readonly own: readonly string[];
  /** One commit in all. */
  readonly squash: boolean;
}

/** Commits on top of the target that hold the work of a branch, and none of ralph's files; on no branch yet. */
interface CleanLine {
  readonly kind: 'line';
  readonly commit: string;
  readonly tree: string;
  readonly made: readonly { readonly commit: string; readonly subject: string }[];
  /** What became of commits that are not there as such: one sentence each. */
  readonly notes: readonly string[];
}

type Conflict = Extract<MergeOutcome, { kind: 'conflict' }>;

/** Prepares the clean history of a branch: one commit for each story, persons' commits as their own. */
export async function cleanLine(input: CleanInput): Promise<CleanLine | Conflict | { readonly kind: 'already' }> {
  const { git, sides, own, squash } = input;
  const trees = await treesOf(git, sides, own);
  const whole = await trees.onTarget(sides.head, await trees.bare(sides.head));
  if (whole.kind === 'conflict') return whole;
  const target = await trees.bare(sides.base);
  const commits = await workCommits(git, trees, sides);
  const { steps, bonds } = squash ? squashed(commits, sides) : await stepsOf(trees, commits);
  const made: { commit: string; subject: string }[] = [];
  const notes = foldNotes(bonds);
  let [parent, before] = [sides.base, target];
  let waiting: Portion[] = [];
  for (const [at, step] of steps.entries()) {
    const last = { head: sides.head, whole: whole.tree };
    const placed = at === steps.length - 1 ? whole : await placedOn(trees, commits, step, last);
    const { portion } = step;
    if (placed.kind === 'conflict') {
      waiting.push(portion);
      continue;
    }
    const portions = [...waiting, portion];
    waiting = [];
    if (placed.tree === before && (squash || !isMeantEmpty(portions))) continue;
    if (portions.length > 1 && !squash)
      notes.push(`${portions.map(nameOf).join(' and ')} are one commit: on ${sides.into} they do not apply one by one`);
    const commit = await commitOf(input, trees, portions, { tree: placed.tree, parent });
    made.push(commit);
    parent = commit.commit;
    before = placed.tree;
  }
  if (made.length === 0 && whole.tree === target) return { kind: 'already' };
  await verify(git, sides, own, trees, { commit: parent, tree: before, whole: whole.tree });
  const dropped = commits.filter(
    ({ paths, isEmpty, trailers }) => paths.length === 0 && !isEmpty && isPersons(trailers),
  );
  if (dropped.length > 0)
    notes.push(
      `left out, because they only change ralph's files: ${dropped.map(({ subject }) => `"${subject}"`).join(', ')}`,
    );
  return { kind: 'line', commit: parent, tree: whole.tree, made, notes };
}

async function workCommits(git: Git, trees: Trees, { head, base }: Sides): Promise<readonly WorkCommit[]> {
  const line = await git.firstParents(head, [base, ...(trees.finished ? [trees.finished] : [])]);
  const commits: WorkCommit[] = [];
  for (const commit of line) {
    const changed = await git.changes(commit.parents[0] ?? commit.id, commit.id);
    const paths = changed.map(({ path }) => path).filter((path) => !trees.isOwn(path));
    commits.push({ ...commit, paths, isEmpty: changed.length === 0 });
  }
  return commits;
}

const isPersons = (trailers: WorkCommit['trailers']) => trailers.every(([name]) => !name.startsWith('Ralph-'));

/** A portion, with the tree of the working branch after it, and the last commit of its stretch. */
interface Step {
  readonly portion: Portion;
  readonly tree: string;
  readonly end: string;
}

type Steps = { readonly steps: readonly Step[]; readonly bonds: typeof NO_BONDS };

function squashed(commits: readonly WorkCommit[], { head }: Sides): Steps {
  const portions = stretchesOf(commits, NO_BONDS).flatMap(({ orders: [first = []] }) => first);
  const all: Portion = {
    stories: [...new Set(portions.flatMap(({ stories }) => stories))],
    commits: portions.flatMap((portion) => portion.commits),
    isArchived: portions.every(({ isArchived }) => isArchived) && portions.length > 0,
  };
  return { steps: [{ portion: all, tree: '', end: head }], bonds: NO_BONDS };
}

/** Gathers the commits of each story; those that cannot be gathered are bound together, and it begins again. */
async function stepsOf(trees: Trees, commits: readonly WorkCommit[]): Promise<Steps> {
  let bonds = NO_BONDS;
  for (;;) {
    const steps: Step[] = [];
    let more: typeof NO_BONDS | null = null;
    for (const stretch of stretchesOf(commits, bonds)) {
      const laid = await lay(trees, stretch);
      if ('steps' in laid) steps.push(...laid.steps);
      else more = withBond(bonds, stretch, laid.at);
      if (more !== null) break;
    }
    if (more === null) return { steps, bonds };
    bonds = more;
  }
}

type Laid =
  | { readonly steps: readonly Step[] }
  | { readonly at: { readonly portion: Portion; readonly paths: readonly string[] } | null };

/** The trees after each portion of a stretch, in the first order that ends at the tree of the working branch. */
async function lay(trees: Trees, { orders, start, end }: Stretch): Promise<Laid> {
  const goal = await trees.bare(end);
  const [only] = orders;
  const [portion] = only ?? [];
  if (portion !== undefined && only?.length === 1) return { steps: [{ portion, tree: goal, end }] };
  let failed: Laid | null = null;
  for (const order of orders) {
    const laid = await pick(trees, order, { from: start, end });
    if ('steps' in laid && laid.steps.at(-1)?.tree === goal) return laid;
    failed ??= 'steps' in laid ? { at: null } : laid;
  }
  return failed ?? { at: null };
}

async function pick(
  trees: Trees,
  order: readonly Portion[],
  { from, end }: { from: string; end: string },
): Promise<Laid> {
  const steps: Step[] = [];
  let tree = await trees.bare(from);
  for (const portion of order) {
    for (const { id, parents } of portion.commits) {
      const base = await trees.bare(parents[0] ?? id);
      const merged = await trees.merge(base, tree, await trees.bare(id));
      if (merged.kind === 'conflict') return { at: { portion, paths: merged.paths } };
      tree = merged.tree;
    }
    steps.push({ portion, tree, end });
  }
  return { steps };
}

/**
 * A tree of the working branch on top of the target. Where that conflicts, a person resolved it later in a merge of the
 * target: then it is that merge without the work in between; else the last tree without the later work.
 */
async function placedOn(
  trees: Trees,
  commits: readonly WorkCommit[],
  { tree, end }: Step,
  last: { readonly head: string; readonly whole: string },
): Promise<MergeOutcome> {
  const placed = await trees.onTarget(end, tree);
  if (placed.kind === 'merged') return placed;
  const later = commits.slice(commits.findIndex(({ id }) => id === end) + 1);
  const merge = later.find(({ parents, trailers }) => parents.length > 1 && isPersons(trailers));
  if (merge === undefined) return trees.merge(await trees.bare(last.head), last.whole, tree);
  const [before = merge.id] = merge.parents;
  const there = await trees.merge(await trees.bare(before), await trees.bare(merge.id), tree);
  return there.kind === 'conflict' ? there : trees.onTarget(merge.id, there.tree);
}

/** A person's commit without any change says something with its message. */
function isMeantEmpty(portions: readonly Portion[]): boolean {
  return portions.every(({ stories, commits }) => stories.length === 0 && commits.every(({ isEmpty }) => isEmpty));
}

async function commitOf(
  { git, sides, config, document, squash }: CleanInput,
  trees: Trees,
  portions: readonly Portion[],
  { tree, parent }: { readonly tree: string; readonly parent: string },
): Promise<{ commit: string; subject: string }> {
  const commits = portions.flatMap((portion) => portion.commits);
  const [first] = commits;
  const last = commits.at(-1);
  const told = portions.flatMap((portion) => (portion.isArchived ? [] : toldIn(document, portion.stories)));
  if (first !== undefined && first === last && portions.every(({ stories }) => stories.length === 0)) {
    const parents = [parent, ...(await trees.besides(first.parents.slice(1)))];
    const isSame = parents.join() === first.parents.join() && (await git.changes(first.id, tree)).length === 0;
    const commit = isSame ? first.id : await git.recommit({ like: first.id, tree, parents, sign: config.commit.sign });
    return { commit, subject: first.subject };
  }
  const known = new Set(told.map(({ story }) => story.safeId));
  const others = portions.flatMap(({ stories, isArchived, commits: own }) =>
    !isArchived && stories.some((story) => known.has(story)) && !squash ? [] : own,
  );
  const also = others.filter(({ trailers }) => (squash ? isPersons(trailers) : true)).map(({ subject }) => subject);
  const name = document.backlog.project ?? sides.branch;
  const message =
    told.length > 0
      ? squash
        ? branchMessage(config, name, told, also)
        : storyMessage(config, told, also)
      : {
          subject: first?.subject ?? name,
          body: commits
            .slice(1)
            .map(({ subject }) => `- ${subject}`)
            .join('\n'),
        };
  const commit = await git.commitTree({
    tree,
    parents: [parent],
    ...message,
    trailers: [],
    date: last?.date ?? 0,
    sign: config.commit.sign,
  });
  return { commit, subject: message.subject };
}

function toldIn(document: BacklogDocument, stories: readonly string[]): readonly ToldStory[] {
  const receipts = new Map(readReceipts(document.reviewsText).map((receipt) => [receipt.story, receipt]));
  const byId = new Map(document.backlog.stories.map((story) => [story.safeId, story]));
  return stories.flatMap((id) => {
    const story = byId.get(id);
    return story === undefined ? [] : [{ story, receipt: receipts.get(story.id) ?? null }];
  });
}

const nameOf = ({ stories, commits }: Portion): string => stories.join(', ') || `"${commits[0]?.subject ?? ''}"`;

function foldNotes({ folded, fixed }: typeof NO_BONDS): string[] {
  const together = folded.map(
    (one) => `${[...one].join(' and ')} are one commit: their commits change the same lines in turn`,
  );
  const split = 'a story is more than one commit where one of your commits between them changes the same lines';
  return fixed.size === 0 ? together : [...together, split];
}

/** @throws GitRefusal unless the last tree is the working branch's on the target, and no file of ralph's changed */
async function verify(
  git: Git,
  sides: Sides,
  own: readonly string[],
  trees: Trees,
  { commit, tree, whole }: { readonly commit: string; readonly tree: string; readonly whole: string },
): Promise<void> {
  const ofRalph = (await git.changes(sides.base, commit)).filter(({ path }) => isUnder(own, path));
  const plain = trees.finished === null ? await git.mergeTrees(sides.base, sides.head) : null;
  const expected = plain?.kind === 'merged' ? plain.tree : whole;
  const others = (await git.changes(expected, commit)).filter(({ path }) => !isUnder(own, path));
  if (tree === whole && ofRalph.length === 0 && others.length === 0) return;
  throw new GitRefusal({
    what: `the clean history of ${sides.branch} does not end with its files`,
    where: [...ofRalph, ...others].map(({ path }) => path).join(', '),
    why: 'this is an error in ralph; nothing was changed',
    fix: ['one commit in all: --squash', 'the branch as it is: --as-is'],
  });
}

/** Trees of a branch as its target would have them: with ralph's own files as they are on the target. */
interface Trees {
  /** The commit up to which the branch is on the target already, under other names; null: none. */
  readonly finished: string | null;
  isOwn(path: string): boolean;
  /** The tree of a commit, with ralph's files as on the target. */
  bare(commit: string): Promise<string>;
  /** Three such trees merged. */
  merge(base: string, ours: string, theirs: string): Promise<MergeOutcome>;
  /** Such a tree with what the target has beyond it; `commit`: where on the working branch it belongs. */
  onTarget(commit: string, tree: string): Promise<MergeOutcome>;
  /** Of the other parents of a person's merge, those that bring neither the target's commits nor ralph's files. */
  besides(parents: readonly string[]): Promise<readonly string[]>;
}

/** Date of commits that are never shown. */
const SOME_DAY = 1e12;

async function treesOf(git: Git, { head, base: target, branch, into }: Sides, own: readonly string[]): Promise<Trees> {
  const isOwn = (path: string) => isUnder(own, path);
  const ofTarget = (await git.paths(target)).filter(isOwn);
  const finished = await finishedBefore(git, { head, base: target });
  const known = new Map<string, Promise<string>>();
  const bare = (commit: string): Promise<string> => {
    const found = known.get(commit);
    if (found !== undefined) return found;
    const made = git
      .paths(commit)
      .then((paths) => git.treeFrom(commit, { tree: target, paths: ofTarget, gone: paths.filter(isOwn) }));
    known.set(commit, made);
    return made;
  };
  const blank = { subject: 'tree', body: '', trailers: [], date: SOME_DAY, sign: false };
  const merge = async (base: string, ours: string, theirs: string): Promise<MergeOutcome> => {
    if (base === theirs || ours === theirs) return { kind: 'merged', tree: ours };
    if (base === ours) return { kind: 'merged', tree: theirs };
    const start = await git.commitTree({ ...blank, tree: base, parents: [] });
    const sides = [ours, theirs].map((tree) => git.commitTree({ ...blank, tree, parents: [start] }));
    const [one = '', other = ''] = await Promise.all(sides);
    return git.mergeTrees(one, other);
  };
  const startOf = async (commit: string): Promise<string> => {
    const common = await git.mergeBase(target, commit);
    if (common === null) throw unrelated(branch, into);
    return finished !== null && (await git.descends(finished, common)) ? finished : common;
  };
  return {
    finished,
    isOwn,
    bare,
    merge,
    onTarget: async (commit, tree) => merge(await bare(await startOf(commit)), await bare(target), tree),
    besides: async (parents) => {
      const kept: string[] = [];
      for (const parent of parents) {
        const common = await git.mergeBase(target, parent);
        if (common === null || common === parent) continue;
        if (!(await git.changes(common, parent)).some(({ path }) => isOwn(path))) kept.push(parent);
      }
      return kept;
    },
  };
}

function unrelated(branch: string, into: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} and ${into} have no commit in common`,
    fix: ['name another branch: --into BRANCH'],
  });
}
