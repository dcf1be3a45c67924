import type { Git } from '../../adapters/git/index.ts';
import { type GhOptions, needLogin, runGh } from '../../adapters/github/index.ts';
import {
  loadOrThrow,
  markMergeRequestsHandled,
  openMergeRequests,
  readLedger,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import { describeError, ExitCode, GitRefusal, RalphError, UsageError } from '../../contracts/index.ts';
import { readReceipts } from '../../rules/backlog/index.ts';
import { collectEvidence, pullRequestText } from '../../rules/evidence/index.ts';
import { counted, oneLine, safeLines, shellWord } from '../../rules/text/index.ts';
import { committedBacklog, type Merge, type Proposal, streamName } from '../../streams/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, placed, type RawFlags, textOf } from '../shared/flags.ts';
import { refuseBesideRun } from '../shared/live-run.ts';
import { openProject, workspaceIn } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';

export async function mergeByPullRequest(number: string | undefined, flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  await refuseBesideRun(git, {
    why: 'its branch still moves, and its current work is not reviewed',
    fix: ['wait until it ends: `ralph status`', '`ralph stop` ends it after the iteration'],
  });
  const remote = textOf(flags, 'remote') ?? 'origin';
  const workspace = await workspaceIn(git, placed(flags, number), io);
  const offer = await offerOf(git, workspace, { base: textOf(flags, 'into'), remote });
  if (isOn(flags, 'dryRun')) return printOffer(offer, flags, io);
  if (!(await git.remotes()).includes(remote)) throw noRemote(remote);

  const place = placeOf(git, io);
  let pushed = false;
  let made: Made;
  try {
    await needLogin(place);
    await git.push({ remote, branch: offer.branch, env: io.env, terminal: io.isTTY });
    pushed = true;
    made = await openPullRequest(offer, place);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return leaveToHand(error, offer, pushed, flags, io);
  }
  return finished(git, offer, made, flags, io);
}

function finished(git: Git, offer: Offer, made: Made, flags: RawFlags, io: Io, lines: readonly string[] = []): number {
  const last = offer.requests.at(-1);
  if (last !== undefined) markMergeRequestsHandled(git.repo.root, offer.loop, last.at, made.url);
  return printResult(io, flags, { ...shown(offer), pushed: true, ...made }, [...lines, ...renderMade(offer, made)]);
}

function placeOf(git: Git, io: Io): GhOptions {
  return { cwd: git.repo.root, env: io.env, onSlow: (text) => void io.stderr.write(`${text}\n`) };
}

interface Ready {
  readonly remote: string;
  readonly place: GhOptions;
}

/** Before the checks, which may take long. @throws UsageError without remote or login */
export async function readyFor(git: Git, flags: RawFlags, io: Io): Promise<Ready> {
  const remote = textOf(flags, 'remote') ?? 'origin';
  if (!(await git.remotes()).includes(remote)) throw noRemote(remote);
  const place = placeOf(git, io);
  if (!isOn(flags, 'dryRun')) await needLogin(place);
  return { remote, place };
}

interface Proposed extends Ready {
  readonly proposal: Proposal;
  readonly merge: Merge;
  readonly lines: readonly string[];
  /** As typed. */
  readonly command: string;
}

/** A draft pull request for clean commits that are pushed; with `--dry-run` only its text. */
export async function offerProposal(
  git: Git,
  workspace: Workspace,
  { remote, place, proposal, merge, lines, command }: Proposed,
  flags: RawFlags,
  io: Io,
): Promise<number> {
  const { outcome } = merge;
  const clean = {
    name: proposal.name,
    tip: 'commit' in outcome ? outcome.commit : merge.base,
    head: merge.head,
    command,
  };
  const offer = await offerOf(git, workspace, { base: proposal.target, remote, clean });
  if (isOn(flags, 'dryRun')) return printOffer(offer, flags, io, false, lines);
  try {
    return finished(git, offer, await openPullRequest(offer, place), flags, io, lines);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return leaveToHand(error, offer, true, flags, io);
  }
}

function printOffer(offer: Offer, flags: RawFlags, io: Io, pushed = false, lines: readonly string[] = []): number {
  return printResult(io, flags, { ...shown(offer), pushed, url: null, updated: false }, [
    ...lines,
    oneLine(offer.title),
    '',
    ...safeLines(offer.body),
  ]);
}

function shown({ branch, base, remote, stories, done, commits, requests, title, body }: Offer) {
  return { branch, base, remote, stories, done, commits, requests: requests.length, title, body };
}

function renderMade({ branch, remote, stories, done, requests }: Offer, made: Made): readonly string[] {
  const open = stories - done;
  return [
    `pushed ${oneLine(branch)} to ${oneLine(remote)}`,
    `${made.updated ? 'updated the pull request' : 'opened a draft pull request'}: ${oneLine(made.url)}`,
    `${done} of ${counted(stories, 'story', 'stories')} done${open > 0 ? `; ${open} still open, which the text mentions` : ''}`,
    ...(requests.length > 0 ? [`answers ${counted(requests.length, 'merge request')} of agents`] : []),
  ];
}

/** What can be done without GitHub: the text, why it stopped there, and how to continue by hand. */
function leaveToHand(error: RalphError, offer: Offer, pushed: boolean, flags: RawFlags, io: Io): number {
  printOffer(offer, flags, io, pushed);
  io.stderr.write(`${describeError(error)}\n${byHand(offer, pushed).join('\n')}\n`);
  return ExitCode.usage;
}

/** Names are quoted: a branch may have any name. */
function byHand({ branch, base, remote, command }: Offer, pushed: boolean): readonly string[] {
  const word = (text: string) => shellWord(oneLine(text));
  const open = `open a pull request from ${word(branch)} into ${word(base)} with the text above`;
  return pushed
    ? [
        `${oneLine(branch)} is pushed to ${oneLine(remote)}; there is no pull request yet. By hand:`,
        `  ${open}`,
        `  or, once that is fixed: ${command}`,
      ]
    : ['Nothing was pushed. By hand:', `  git push ${word(remote)} ${word(branch)}`, `  then ${open}`];
}

function noRemote(remote: string): UsageError {
  return new UsageError({
    what: `there is no remote '${remote}'`,
    fix: ['git remote -v lists them: --remote NAME', `git remote add ${remote} URL`],
  });
}

interface Made {
  readonly url: string;
  /** It existed already, and got the new text. */
  readonly updated: boolean;
}

/**
 * Opens a draft for a pushed branch. An open one gets the new text; its title stays, because people change it.
 * @throws UsageError with gh's message
 */
async function openPullRequest({ branch, base, title, body }: Offer, place: GhOptions): Promise<Made> {
  const list = ['pr', 'list', '--head', branch, '--state', 'open', '--limit', '1', '--json', 'number,url'];
  const there = openOf(await runGh(list, place));
  const input = { ...place, input: body };
  if (there !== null) {
    await runGh(['pr', 'edit', String(there.number), '--body-file', '-'], input);
    return { url: there.url, updated: true };
  }
  const create = ['pr', 'create', '--draft', '--head', branch, '--base', base, '--title', title, '--body-file', '-'];
  const printed = await runGh(create, input).catch((error: unknown) => {
    throw /draft pull requests are not supported/i.test(whyOf(error)) ? noDrafts(whyOf(error)) : error;
  });
  return { url: printed.trim().split('\n').at(-1) ?? '', updated: false };
}

function openOf(text: string): { readonly number: number; readonly url: string } | null {
  try {
    const list = JSON.parse(text.trim() || '[]') as readonly { number: number; url: string }[];
    return list[0] ?? null;
  } catch {
    throw new UsageError({
      what: 'the output of `gh pr list` cannot be parsed',
      why: `it printed: ${text.trim().slice(0, 200)}`,
      fix: ['gh 2.0 or later prints JSON: gh --version'],
    });
  }
}

function whyOf(error: unknown): string {
  return error instanceof UsageError ? (error.facts.why ?? '') : '';
}

/** A user who asks for a draft does not want to call reviewers: nothing else is opened instead. */
function noDrafts(why: string): UsageError {
  return new UsageError({
    what: 'this repository has no draft pull requests',
    why,
    fix: ['open it for review by hand: ralph does not, because that notifies reviewers'],
  });
}

const DIFF_LINES = 60;

type Offer = Awaited<ReturnType<typeof offerOf>>;

interface OfferInput {
  readonly base: string | undefined;
  readonly remote: string;
  /** The commits made of the branch, up to `tip`; `name`: their branch at the remote. */
  readonly clean?: { readonly name: string; readonly tip: string; readonly head: string; readonly command: string };
}

/**
 * What the branch of a workspace has to offer, in its committed state: uncommitted work would not be pushed either.
 * @throws GitRefusal, UsageError when there is nothing to merge
 */
async function offerOf(git: Git, workspace: Workspace, input: OfferInput) {
  const { document: here } = await loadOrThrow(workspace);
  const loop = here.backlog.branchName || (await git.currentBranch());
  if (loop === null) throw detached();
  const { remote, clean } = input;
  const branch = clean?.name ?? loop;
  const base = input.base ?? (await git.defaultBranchOf(remote)) ?? (await git.defaultBranch());
  if (base === null || base === branch) throw noBase(branch, base);
  const ahead = await git.ahead(clean?.tip ?? `refs/heads/${branch}`, base, remote);
  if (ahead === null) throw unknown(branch, base, remote);
  if (ahead.commits === 0) throw nothingNew(branch, base);

  const document = await committedBacklog(git, here, clean?.head ?? ahead.head, streamName(workspace));
  const [ledger, requests, diffStat] = await Promise.all([
    readLedger(git.repo.stateDir),
    openMergeRequests(git.repo.root, loop),
    git.diffStat(ahead.mergeBase, ahead.head, DIFF_LINES),
  ]);
  const evidence = collectEvidence(document.backlog, readReceipts(document.reviewsText), ledger);
  const { project } = document.backlog;
  const { commits } = ahead;
  return {
    ...pullRequestText({ project, branch, base, wishes: requests, diffStat, commits }, evidence),
    /** The branch of the loop, and the one at the remote, which may be another. */
    ...{ loop, branch, base, remote },
    /** That opens it, as typed. */
    command: clean?.command ?? 'ralph stream merge --pr',
    stories: evidence.stories.length,
    done: evidence.done,
    commits,
    /** Of agents, which it answers. */
    requests,
  };
}

function detached(): GitRefusal {
  return new GitRefusal({
    what: 'no branch is checked out, and the backlog does not name one',
    fix: ['git switch to the branch of the loop', 'or name it: branchName in the backlog'],
  });
}

function noBase(branch: string, base: string | null): UsageError {
  return new UsageError({
    what: base === null ? 'the branch to merge into is not known' : `${branch} cannot be merged into itself`,
    where: `branch ${branch}`,
    fix: ['name another one: --into BRANCH', 'or give the loop a branch of its own: branchName in the backlog'],
  });
}

function unknown(branch: string, base: string, remote: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} and ${base} cannot be compared`,
    why: 'one of them does not exist here, or they have no common commit',
    fix: [`git fetch ${remote}`, 'git branch -a lists the existing ones', 'name the base: --into BRANCH'],
  });
}

function nothingNew(branch: string, base: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} has no commits that are not on ${base}`,
    why: 'there is nothing to merge',
    fix: ['`ralph run` makes some', 'or compare it with another branch: --into BRANCH'],
  });
}
