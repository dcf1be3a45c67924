import { loadOrThrow } from '../../adapters/workspace/index.ts';
import { type Backlog, FileProblemsError, type Story } from '../../contracts/index.ts';
import { commitBookkeeping } from '../../loop/index.ts';
import { type BacklogDocument, loadBacklog } from '../../rules/backlog/index.ts';
import { joinBacklogs, joinProgress } from '../../rules/streams/index.ts';
import { type Crew, type Landing, type Lane, type LaneWork, loopTexts } from './crew.ts';
import { numbersOf } from './take-over.ts';

/** A lane's work merged with the current branch; nothing is moved or written yet. */
export type Merged =
  | {
      readonly kind: 'merged';
      /** The branch's head, and the commit that builds on it. */
      readonly from: string;
      readonly to: string;
      readonly subject: string;
      /** New text of the loop's files that git ignores: no commit holds them. */
      readonly ignored: Readonly<Record<string, string>>;
      readonly backlog: Backlog;
      readonly story: Story;
    }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** A lane whose story is on its way to the branch. */
export interface LandingLane {
  readonly lane: Lane;
  readonly work: LaneWork & { readonly landing: Landing };
  /** The loop's files as the lane left them, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Git merges the code; the loop's own files are merged by meaning, because each lane wrote its own.
 * @param withWork false: only what the loop knows of the story, none of its code
 */
export async function mergeIntoBranch(crew: Crew, landing: LandingLane, withWork: boolean): Promise<Merged> {
  const { context, branch } = crew;
  const { git, clock, run, config, workspace } = context;
  const { head } = landing.work.landing;
  await commitBookkeeping(context, `before ${landing.work.story} lands`);
  const from = await git.resolve(branch);
  if (from === null) throw new Error(`the branch ${branch} is gone`);
  const joined = await joinFiles(crew, landing);
  if (joined === null) return { kind: 'conflict', paths: [workspace.backlog?.path ?? workspace.specDir] };
  const merged = withWork ? await mergeCode(crew, landing, from) : { kind: 'merged' as const, tree: from };
  if (merged.kind === 'conflict') return merged;
  const { texts, document } = joined;
  const tracked: Record<string, string> = {};
  const ignored: Record<string, string> = {};
  for (const [path, text] of Object.entries(texts)) {
    const goes = (await isTracked(crew, path, [from, head])) ? tracked : ignored;
    goes[path] = text;
  }
  const story = document.backlog.stories.find(({ id }) => id === landing.work.story);
  if (story === undefined) return { kind: 'conflict', paths: [document.file] };
  const { safeId, title } = story;
  const subject = shortened(
    landing.work.landing.blocked ? `chore(ralph): ${safeId} is blocked` : `land(${safeId}): ${title}`,
  );
  const to = await git.commitTree({
    tree: await git.treeWith(merged.tree, tracked),
    // Without its own commit there is nothing to merge except what the loop knows.
    parents: withWork && head !== landing.work.base ? [from, head] : [from],
    subject,
    body: '',
    trailers: [['Ralph-Run', run], ...(landing.work.landing.blocked ? [] : [['Ralph-Landed', safeId] as const])],
    date: clock.now(),
    sign: config.commit.sign,
  });
  return { kind: 'merged', from, to, subject, ignored, backlog: document.backlog, story };
}

async function isTracked({ context: { git } }: Crew, path: string, commits: readonly string[]): Promise<boolean> {
  for (const commit of commits) if ((await git.show(commit, path)) !== null) return true;
  return false;
}

/** The lane's code, without its version of the loop's files: those of the base stand in for them. */
async function mergeCode({ context: { git, clock } }: Crew, { work, texts }: LandingLane, from: string) {
  const { base, landing } = work;
  if (from === base) return { kind: 'merged' as const, tree: landing.head };
  const asBefore: Record<string, Uint8Array | null> = {};
  for (const path of Object.keys(texts)) asBefore[path] = await git.show(base, path);
  const side = await git.commitTree({
    tree: await git.treeWith(landing.head, asBefore),
    parents: [base],
    subject: `work on ${work.story}`,
    body: '',
    trailers: [],
    date: clock.now(),
    sign: false,
  });
  return git.mergeTrees(from, side);
}

/** null when the backlogs cannot be merged. */
async function joinFiles(crew: Crew, { lane, work, texts }: LandingLane) {
  const { workspace, git } = crew.context;
  const { document: branch } = await loadOrThrow(workspace);
  const base = asDocument(branch, work.files);
  const ofLane = asDocument(branch, texts);
  if (base === null || ofLane === null) return null;
  try {
    const document = joinBacklogs({ base, branch, lane: ofLane, story: work.story });
    const { progressPath } = workspace;
    const progress = joinProgress({
      base: work.files[progressPath] ?? '',
      branch: (await loopTexts(git.repo.root, workspace))[progressPath] ?? '',
      lane: texts[progressPath] ?? '',
      numbers: await numbersOf(crew, lane),
    });
    const reviews = document.reviewsText === null ? {} : { [document.reviewsFile]: document.reviewsText };
    return { document, texts: { [document.file]: document.text, [progressPath]: progress, ...reviews } };
  } catch (error) {
    if (error instanceof FileProblemsError) return null;
    throw error;
  }
}

/** A backlog from its texts alone; null when it cannot be read. */
function asDocument(like: BacklogDocument, texts: Readonly<Record<string, string>>): BacklogDocument | null {
  const { format, file, reviewsFile } = like;
  const encode = (text: string) => new TextEncoder().encode(text);
  const text = texts[file];
  const reviews = texts[reviewsFile];
  if (text === undefined) return null;
  const reviewsBytes = reviews === undefined ? null : encode(reviews);
  return loadBacklog({ format, file, bytes: encode(text), reviewsFile, reviewsBytes }).document;
}

/** One line of at most 100 characters, as git's readers expect of a subject. */
function shortened(subject: string): string {
  const line = subject.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
