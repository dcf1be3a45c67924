import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { FileProblemsError } from '../../contracts/errors.ts';
import type { Backlog, Story } from '../../contracts/model.ts';
import { commitBookkeeping } from '../../loop/start.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { loadBacklog } from '../../rules/backlog/load.ts';
import { joinBacklogs } from '../../rules/streams/join-backlog.ts';
import { joinProgress } from '../../rules/streams/join-progress.ts';
import type { Crew, Lane } from './crew.ts';
import type { Landing, LaneWork } from './lane-file.ts';
import { numbersOf } from './take-over.ts';
import { loopTexts } from './texts.ts';

/** What a lane did, merged with the branch as it is now; nothing is moved or written yet. */
export type Merged =
  | {
      readonly kind: 'merged';
      /** The branch's head, and the commit that builds on it. */
      readonly from: string;
      readonly to: string;
      readonly subject: string;
      /** New text of the loop's files that git ignores: they are in no commit. */
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
 * Code is merged by git; the loop's own files are joined by what they mean, for each lane wrote its own.
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
    // Without a commit of its own there is nothing to merge but what the loop knows.
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

interface Joined {
  readonly texts: Readonly<Record<string, string>>;
  readonly document: BacklogDocument;
}

/** Null when the backlogs do not go together. */
async function joinFiles(crew: Crew, { lane, work, texts }: LandingLane): Promise<Joined | null> {
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

/** A backlog of which only the texts are known; null when it cannot be read. */
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
