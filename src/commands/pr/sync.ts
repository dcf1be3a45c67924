import type { Git } from '../../adapters/git/index.ts';
import {
  failedChecks,
  failedLog,
  findPullRequest,
  type GhOptions,
  mayWrite,
  needLogin,
  type PullRequest,
  type ReviewThread,
  replyTo,
  resolveThread,
  reviewThreads,
} from '../../adapters/github/index.ts';
import { loadOrThrow, readLedger, type SteeringRequest } from '../../adapters/workspace/index.ts';
import {
  type FindingSource,
  type LedgerLine,
  type NewStory,
  type RequestedChange,
  type ReviewFinding,
  type Story,
  UsageError,
} from '../../contracts/index.ts';
import { type BacklogDocument, isDone, nextId, readFindings } from '../../rules/backlog/index.ts';
import { storyMessage } from '../../rules/evidence/index.ts';
import { changesProblem, type Steering } from '../../rules/steering/index.ts';
import { counted, oneLine, safeLines } from '../../rules/text/index.ts';
import { finishedBefore, finishedName } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { refuseBesideRun } from '../shared/live-run.ts';
import { configOf, openWorkspace } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { sayAboutStories } from '../stories/say.ts';

interface Place {
  readonly git: Git;
  readonly pull: PullRequest;
  readonly gh: GhOptions;
  /** First lines of the clean commits of stories, which carry no trailer, and the stories. */
  readonly subjects: ReadonlyMap<string, string>;
  /** It is of the clean commits that `ralph finish --pr` made: those of the loop are not on it. */
  readonly isFinished: boolean;
}

/**
 * `ralph pr sync`: answers the review threads that were taken in earlier and are settled, then takes new comments and
 * failed checks in as requested changes.
 */
export async function syncPullRequest([which]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const { document } = await loadOrThrow(workspace);
  const branch = document.backlog.branchName || (await git.currentBranch());
  if (branch === null) throw new UsageError({ what: 'no branch is checked out, and the backlog does not name one' });
  const gh: GhOptions = { cwd: git.repo.root, env: io.env, onSlow: (text) => void io.stderr.write(`${text}\n`) };
  await needLogin(gh);
  const pull = await (which === undefined ? findOwn(branch, gh) : findPullRequest(which, gh));
  if (!pull.isOpen) throw new UsageError({ what: `pull request #${pull.number} is not open`, where: pull.url });
  const pushed = isOn(flags, 'push');
  const isFinished = pull.branch === finishedName(branch);
  if (pushed && isFinished) {
    const fix = ['ralph finish --pr, then: ralph pr sync'];
    throw new UsageError({ what: `${pull.branch} has commits that --push cannot make`, where: pull.url, fix });
  }
  if (pushed) await push(git, branch, flags, io);

  const { config } = await configOf(git, io);
  const subjects = new Map(
    document.backlog.stories.flatMap((story) =>
      [true, false].map((passes) => {
        const { subject } = storyMessage(config, [{ story: { ...story, passes }, receipt: null }]);
        return [subject, story.safeId] as const;
      }),
    ),
  );
  const place = { git, pull, gh, subjects, isFinished };
  const { viewer, threads } = await reviewThreads(pull, gh);
  const open = threads.filter(({ isResolved }) => !isResolved);
  const tip = pushed ? branch : pull.head;
  const mayPush = memo(async (login) => login === viewer || (await mayWrite(pull, login, gh)));
  const answered = await answerSettled(place, { document, threads: open, isAnswer: mayPush, tip });
  const isTrusted = isOn(flags, 'allAuthors') ? async () => true : mayPush;
  const { comments, leftOut } = await commentsIn(place, open, { isTrusted, isAnswer: mayPush });
  const found = [...comments, ...(await checksOf(place))];
  const { taken, run } = await takeIn(place, found, flags, io);
  const result = { number: pull.number, url: pull.url, isFinished, pushed, ...answered, taken, leftOut, run };
  return printResult(io, flags, result, linesOf(result));
}

/** That of the branch, else that of the clean commits. */
function findOwn(branch: string, gh: GhOptions): Promise<PullRequest> {
  return findPullRequest(branch, gh).catch((error: unknown) =>
    findPullRequest(finishedName(branch), gh).catch(() => Promise.reject(error)),
  );
}

/** The branch, under its own name and never by force; only when the person asks for it. */
async function push(git: Git, branch: string, flags: RawFlags, io: Io): Promise<void> {
  await refuseBesideRun(git, {
    why: 'its branch still moves',
    fix: ['wait until it ends: `ralph status`', 'or leave out --push'],
  });
  await git.push({ remote: textOf(flags, 'remote') ?? 'origin', branch, env: io.env, terminal: io.isTTY });
}

/** In the answer to a thread, invisible on the page: which finding it answers. */
const marked = (finding: string) => `<!-- ralph ${finding} -->`;
const MARK = /<!-- ralph (F-[0-9a-f]{8}) -->/;

/** Only an answer of an account that may push counts: anyone can write the mark. */
async function answersIn({ comments }: ReviewThread, isTrusted: Trusted): Promise<readonly (string | null)[]> {
  const answers = comments.nodes.map(async ({ body, author }) => {
    const finding = MARK.exec(body)?.[1];
    return finding !== undefined && author !== null && (await isTrusted(author.login)) ? finding : null;
  });
  return Promise.all(answers);
}

interface Known {
  readonly document: BacklogDocument;
  readonly threads: readonly ReviewThread[];
  readonly isAnswer: Trusted;
  /** What is on the pull request. */
  readonly tip: string;
}

/** Each thread whose story is done again gets the commit that settled it, once that commit is on the pull request. */
async function answerSettled(place: Place, { document, threads, isAnswer, tip }: Known) {
  const { git, pull, gh } = place;
  const ledger = await readLedger(git.repo.stateDir);
  const byId = new Map(threads.map((thread) => [thread.id, thread]));
  let [answered, resolved, unpushed, working] = [0, 0, 0, 0];
  for (const story of document.backlog.stories) {
    for (const finding of readFindings(document.reviewsText, story.id)) {
      const thread = byId.get(finding.from?.thread ?? '');
      if (thread === undefined || (await answersIn(thread, isAnswer)).includes(finding.id)) continue;
      if (!isDone(story)) working++;
      else {
        const own = await settledBy(git, story, ledger);
        const commit = own === null ? null : await onPull(place, tip, own, story.safeId);
        if (commit === undefined) unpushed++;
        else if (thread.viewerCanReply) {
          await replyTo(pull, thread.id, `${answerText(finding, commit)}\n${marked(finding.id)}`, gh);
          answered++;
          // Where nothing was changed, the reviewer decides.
          if (commit !== null && thread.viewerCanResolve) {
            await resolveThread(pull, thread.id, gh);
            resolved++;
          }
        }
      }
    }
  }
  return { answered, resolved, unpushed, working };
}

/** The last commit with work on the story since a person last rejected it; null when there is none. */
async function settledBy(git: Git, { id, safeId }: Story, ledger: readonly LedgerLine[]): Promise<string | null> {
  const since = ledger.findLastIndex((line) => line.kind === 'reset' && line.story === id);
  const work = ledger
    .slice(since + 1)
    .findLast((line) => line.kind === 'iteration' && line.story === id && line.commit !== null && line.workFiles > 0);
  if (work?.kind !== 'iteration' || work.commit === null) return null;
  if (await git.descends('HEAD', work.commit)) return work.commit;
  // The history was rewritten since, e.g. into one commit a story.
  return (await git.storyRange(safeId))?.head ?? work.commit;
}

/** The commit as it is on the pull request; undefined where it is not there. */
async function onPull({ git, subjects, isFinished }: Place, tip: string, commit: string, story: string) {
  if (await git.descends(tip, commit)) return commit;
  const from = isFinished ? await finishedBefore(git, { head: 'HEAD', base: tip }) : null;
  if (from === null || !(await git.descends(from, commit))) return undefined;
  const { commits } = await git.commitsBetween('HEAD', tip, MOST_COMMITS);
  return commits.find(({ subject }) => subjects.get(subject) === story)?.id ?? tip;
}

const MOST_COMMITS = 1000;

function answerText({ state, reason }: ReviewFinding, commit: string | null): string {
  if (state === 'waived') return `Not changed: ${reason ? oneLine(reason) : 'it was waived'}.`;
  return commit === null ? 'Looked at again; a review found that no change is needed.' : `Settled by ${commit}.`;
}

/** Something on the pull request that asks for a change, with its story if the line came with one. */
interface Found {
  readonly story: string | null;
  /** The comments. `key` is how one is recognised that was taken in before. */
  readonly parts: readonly { readonly key: string; readonly text: string; readonly from: FindingSource }[];
  readonly where: Pick<RequestedChange, 'file' | 'line'>;
}

type Trusted = (login: string) => Promise<boolean>;

/** What people wrote into open threads; our own answers are none of it. */
async function commentsIn(
  { git, pull, subjects }: Place,
  threads: readonly ReviewThread[],
  { isTrusted, isAnswer }: { readonly isTrusted: Trusted; readonly isAnswer: Trusted },
) {
  const comments: Found[] = [];
  let leftOut = 0;
  for (const thread of threads) {
    const answers = await answersIn(thread, isAnswer);
    const parts: Found['parts'][number][] = [];
    for (const [at, { body, url, author }] of thread.comments.nodes.entries()) {
      const login = author?.login ?? 'ghost';
      if (answers[at] !== null) continue;
      const text = `${oneLine(login)} writes on pull request #${pull.number}:\n${quoted(body)}`;
      if (await isTrusted(login)) parts.push({ key: text, text, from: { author: login, url, thread: thread.id } });
      else leftOut++;
    }
    if (parts.length === 0) continue;
    const line = thread.line ?? thread.originalLine;
    comments.push({
      story: await storyOf(git, pull, thread, subjects),
      parts,
      where: { file: thread.path, ...(line !== null && { line }) },
    });
  }
  return { comments, leftOut };
}

async function storyOf(
  git: Git,
  { head }: PullRequest,
  thread: ReviewThread,
  subjects: Place['subjects'],
): Promise<string | null> {
  if (thread.diffSide !== 'RIGHT') return null;
  const original = thread.comments.nodes[0]?.originalCommit?.oid;
  const [commit, line] = thread.line === null ? [original, thread.originalLine] : [head, thread.line];
  if (commit === undefined || line === null || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
  return git.storyOfLine(commit, thread.path, line, subjects);
}

async function checksOf({ pull, gh }: Place): Promise<readonly Found[]> {
  const checks = await failedChecks(pull, gh);
  return Promise.all(
    checks.map(async (check) => {
      const { workflow, description, link } = check;
      const name = oneLine(workflow ? `${workflow} / ${check.name}` : check.name);
      const head = `The check "${name}" of pull request #${pull.number} failed at ${pull.head.slice(0, 12)}.`;
      const said = [description, ...(await failedLog(pull, check, gh))].filter((line) => line.trim() !== '');
      const text = said.length === 0 ? head : `${head}\n${quoted(said.join('\n'))}`;
      return { story: null, parts: [{ key: head, text, from: { url: link || pull.url } }], where: {} };
    }),
  );
}

/** Characters of a comment or a log that a prompt gets. */
const LONGEST_QUOTE = 8000;

/** A stranger's text as a quotation: without what its page does not show, and no line of it can end the quotation. */
function quoted(text: string): string {
  const shown = text.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim();
  const cut = shown.length > LONGEST_QUOTE ? `${shown.slice(0, LONGEST_QUOTE)}\n…` : shown;
  return safeLines(cut)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function memo(ask: Trusted): Trusted {
  const known = new Map<string, Promise<boolean>>();
  return (login) => {
    const answer = known.get(login) ?? ask(login);
    known.set(login, answer);
    return answer;
  };
}

/** As rejections, through the same path as a person's own words. What belongs to no story goes into one of its own. */
async function takeIn({ pull }: Place, found: readonly Found[], flags: RawFlags, io: Io) {
  let taken: { readonly story: string; readonly text: string; readonly author: string | null }[] = [];
  const { run, isLater } = await sayAboutStories('ralph pr sync', flags, io, ({ document, specDir, steering }) => {
    const known = knownIn(document, steering);
    const fresh = found.flatMap(({ story, parts, where }) => {
      const isNew = ({ key, from: { thread } }: Found['parts'][number]) =>
        !known.some((one) => one.thread === thread && one.text.includes(key));
      const [first, ...others] = parts.filter(isNew);
      if (first === undefined) return [];
      const text = [first, ...others].map((part) => part.text).join('\n\n');
      return [{ story, change: { text, ...where, from: first.from } }];
    });
    const byTrailer = new Map(document.backlog.stories.map(({ id, safeId }) => [safeId, id]));
    const general = generalStory(document, pull);
    const at = Date.now();
    const changes = new Map<string, RequestedChange[]>();
    for (const { story, change } of fresh) {
      const id = byTrailer.get(story ?? '') ?? general.id;
      const fit = changesProblem([change]) === null ? change : withoutFile(change);
      changes.set(id, [...(changes.get(id) ?? []), fit]);
    }
    taken = [...changes].flatMap(([story, all]) =>
      all.map(({ text, from }) => ({ story, text, author: from?.author ?? null })),
    );
    const isNew = changes.has(general.id) && !document.backlog.stories.some(({ id }) => id === general.id);
    const add: readonly SteeringRequest[] = isNew ? [{ kind: 'add', folder: specDir, story: general, at }] : [];
    return [...add, ...[...changes].map(([story, all]) => ({ kind: 'reject', story, changes: all, at }) as const)];
  });
  return { taken, run: isLater ? run : null };
}

/** An odd name of a file stands in the text instead. */
function withoutFile({ text, file, from }: RequestedChange): RequestedChange {
  return { text: `${oneLine(file ?? '')}: ${text}`, ...(from && { from }) };
}

function knownIn({ backlog, reviewsText }: BacklogDocument, { decisions }: Steering) {
  const findings = backlog.stories.flatMap(({ id }) => readFindings(reviewsText, id));
  const pending = decisions.flatMap((one) => (one.decision === 'reject' ? one.changes : []));
  return [
    ...findings.map(({ claim, from }) => ({ text: claim, thread: from?.thread })),
    ...pending.map(({ text, from }) => ({ text, thread: from?.thread })),
  ];
}

function generalStory({ format, backlog }: BacklogDocument, { number }: PullRequest): NewStory {
  const title = `Settle the review of pull request #${number}`;
  const there = backlog.stories.find((story) => story.title === title);
  const priority = Math.max(1, ...backlog.stories.map((story) => story.priority)) + 1;
  const acceptanceCriteria = [
    `Everything that pull request #${number} asks for, as listed with this story, is settled`,
  ];
  // No number at the end: the ids of later stories continue the numbering.
  const id = there?.id ?? (format === 'tasks-json' ? `PR-${number}-review` : nextId(backlog.stories));
  return { id, title, acceptanceCriteria, priority };
}

type Result = Pick<Awaited<ReturnType<typeof takeIn>>, 'taken' | 'run'> &
  Awaited<ReturnType<typeof answerSettled>> & {
    readonly number: number;
    readonly url: string;
    readonly isFinished: boolean;
    readonly pushed: boolean;
    readonly leftOut: number;
  };

function linesOf({
  number,
  url,
  isFinished,
  pushed,
  answered,
  resolved,
  unpushed,
  working,
  taken,
  leftOut,
  run,
}: Result) {
  const next = run === null ? 'next: ralph run' : `run ${run} works on them before anything else`;
  return [
    `pull request #${number}: ${oneLine(url)}${pushed ? ' (pushed)' : ''}`,
    ...(answered > 0 ? [`answered ${counted(answered, 'comment')}, resolved ${resolved}`] : []),
    ...(unpushed > 0
      ? [
          `settled here, but not on the pull request: ${unpushed}; ${
            isFinished
              ? '`ralph finish --pr` pushes, `ralph pr sync` answers'
              : '`ralph pr sync --push` pushes, then answers'
          }`,
        ]
      : []),
    ...(working > 0 ? [`still being worked on: ${counted(working, 'comment')}`] : []),
    ...taken.map(({ story, text, author }) => {
      const what = author === null ? text.split('\n', 1)[0] : `${author}: ${text.split('\n> ').slice(1, 2).join('')}`;
      return oneLine(`taken into ${story}: ${what}`);
    }),
    ...(taken.length === 0 ? ['nothing new to take in'] : [next]),
    ...(leftOut > 0
      ? [`left out: ${counted(leftOut, 'comment')} by people without write access; --all-authors includes them`]
      : []),
  ];
}
