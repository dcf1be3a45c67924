import type { Git } from '../../adapters/git/port.ts';
import { needLogin } from '../../adapters/github/gh.ts';
import { markMergeRequestsHandled } from '../../adapters/workspace/worktrees/merge-requests.ts';
import { describeError, LockedError, RalphError, UsageError } from '../../contracts/errors.ts';
import { ExitCode } from '../../contracts/model.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine, safeLines } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { liveRun } from '../shared/live-run.ts';
import { openProject, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { type Offer, offerOf } from './evidence.ts';
import { placed } from './placed.ts';
import { type Made, openPullRequest } from './pull-request.ts';

/** `ralph stream merge [N] --pr` */
export async function mergeByPullRequest(number: string | undefined, flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io, { toRun: true });
  await refuseLiveRun(git);
  const remote = textOf(flags, 'remote') ?? 'origin';
  const workspace = await workspaceIn(git, placed(flags, number), io);
  const offer = await offerOf(git, workspace, { base: textOf(flags, 'into') ?? textOf(flags, 'base'), remote });
  if (isOn(flags, 'dryRun')) return printOffer(offer, flags, io);
  if (!(await git.remotes()).includes(remote)) throw noRemote(remote);

  const onSlow = (text: string) => void io.stderr.write(`${text}\n`);
  const place = { cwd: git.repo.root, env: io.env, onSlow };
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
  const last = offer.requests.at(-1);
  if (last !== undefined) markMergeRequestsHandled(git.repo.root, offer.branch, last.at, made.url);
  if (isOn(flags, 'json')) printJson(io, { ...shown(offer), pushed: true, ...made });
  else printLines(io, renderMade(offer, made));
  return ExitCode.complete;
}

async function refuseLiveRun(git: Git): Promise<void> {
  const live = await liveRun(git);
  if (live === null) return;
  throw new LockedError({
    what: `run ${live.run} is under way here`,
    where: git.repo.root,
    why: 'its branch still moves, and what it works on is not reviewed',
    mend: ['wait for its end: `ralph status`', '`ralph stop` ends it after the iteration'],
  });
}

function printOffer(offer: Offer, flags: RawFlags, io: Io, pushed = false): number {
  if (isOn(flags, 'json')) printJson(io, { ...shown(offer), pushed, url: null, updated: false });
  else printLines(io, [oneLine(offer.title), '', ...safeLines(offer.body)]);
  return ExitCode.complete;
}

/** What programs get to know of it. */
function shown({ branch, base, remote, stories, done, commits, requests, title, body }: Offer) {
  return { branch, base, remote, stories, done, commits, requests: requests.length, title, body };
}

/** Pure. */
function renderMade({ branch, remote, stories, done, requests }: Offer, made: Made): readonly string[] {
  const open = stories - done;
  return [
    `pushed ${oneLine(branch)} to ${oneLine(remote)}`,
    `${made.updated ? 'the pull request has the new text' : 'opened a draft pull request'}: ${oneLine(made.url)}`,
    `${done} of ${counted(stories, 'story', 'stories')} done${open > 0 ? `; ${open} still open, and the text says so` : ''}`,
    ...(requests.length > 0 ? [`answers ${counted(requests.length, 'merge request')} of agents`] : []),
  ];
}

/** All that can be done without GitHub: the text, why it went no further, and how to go on by hand. */
function leaveToHand(error: RalphError, offer: Offer, pushed: boolean, flags: RawFlags, io: Io): number {
  printOffer(offer, flags, io, pushed);
  io.stderr.write(`${describeError(error)}\n${byHand(offer, pushed).join('\n')}\n`);
  return ExitCode.usage;
}

/** Names in quotes: a branch may be called anything. */
function byHand({ branch, base, remote }: Offer, pushed: boolean): readonly string[] {
  const word = (text: string) => shellWord(oneLine(text));
  const open = `open a pull request from ${word(branch)} into ${word(base)} with the text above`;
  return pushed
    ? [
        `${oneLine(branch)} is pushed to ${oneLine(remote)}; there is no pull request with this text. By hand:`,
        `  ${open}`,
        '  or, when that is mended: ralph stream merge --pr',
      ]
    : ['Nothing was pushed. By hand:', `  git push ${word(remote)} ${word(branch)}`, `  then ${open}`];
}

function noRemote(remote: string): UsageError {
  return new UsageError({
    what: `there is no remote '${remote}'`,
    mend: ['git remote -v lists them: --remote NAME', `git remote add ${remote} URL`],
  });
}
