import type { Git } from '../../adapters/git/index.ts';
import { freeze, loadConfig, loadOrThrow, readLedger } from '../../adapters/workspace/index.ts';
import {
  type Config,
  ExitCode,
  type ExitCodeValue,
  type LedgerIteration,
  type LedgerLine,
  type RalphEvent,
  UsageError,
} from '../../contracts/index.ts';
import type { RunSummary } from '../../loop/index.ts';
import { systemClock } from '../../platform/index.ts';
import { readFindings, restOf } from '../../rules/backlog/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import { createRunLog, type Io, paintFor } from '../../surfaces/terminal/index.ts';
import { parseRunFlags, type RunFlags } from '../run/flags.ts';
import { runWithSignals } from '../run/live.ts';
import { choiceOf, countOf, isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { openProject, secureCheckout } from '../shared/open.ts';
import { writeResult } from '../shared/print.ts';
import { turnPorts } from '../shared/turn-ports.ts';
import { keepFixes, openPlace, type ReviewPlace, STORY } from './place.ts';
import { jsonReport, pointOf, type ReviewReport, sarifReport, textReport } from './report.ts';
import { type Target, targetOf } from './target.ts';

interface Asked {
  readonly run: RunFlags;
  readonly panel: number | undefined;
  readonly fix: boolean;
  readonly verbose: boolean;
}

/**
 * `ralph review`: the loop's own review, of any change, in a work tree of its own. With `--fix` the loop continues with
 * iterations that address the findings, and their commits come to the current branch.
 */
export async function review([what]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const format = choiceOf(flags, 'format', ['text', 'json', 'sarif']) ?? 'text';
  const asked: Asked = {
    run: parseRunFlags([], flags, io.cwd),
    panel: countOf(flags, 'panel'),
    fix: isOn(flags, 'fix'),
    verbose: isOn(flags, 'verbose'),
  };
  const git = await openProject(flags, io, { toRun: true });
  // Commits can be reviewed while a run works here.
  await secureCheckout(git, what !== undefined && !asked.fix);
  const target = await targetOf(git, { what, staged: isOn(flags, 'staged') }, io);
  const branch = asked.fix ? await branchToFix(git, target) : null;
  const isEmpty = (await git.changes(target.base, target.head)).length === 0;
  const { report, exitCode } = isEmpty ? nothingIn(target) : await reviewed(git, target, branch, asked, io);
  const text =
    format === 'json'
      ? jsonReport(report)
      : format === 'sarif'
        ? sarifReport(report)
        : textReport(report, paintFor(io));
  await writeResult(textOf(flags, 'output') ?? '-', text, 'the review', io);
  return exitCode;
}

/** The branch to which fixes come. @throws UsageError where they could not */
async function branchToFix(git: Git, { label, head, uncommitted }: Target): Promise<string> {
  const branch = await git.currentBranch();
  const fix = uncommitted
    ? 'commit the changes first: a fix is a commit on top of them'
    : branch === null || (await git.resolve('HEAD')) !== head
      ? 'switch to the branch that has these commits first, e.g. gh pr checkout 123'
      : null;
  if (fix === null && branch !== null) return branch;
  throw new UsageError({
    what: `--fix cannot fix ${label} here`,
    why: 'its commits are added to the current branch',
    fix: [fix ?? ''],
  });
}

interface Reviewed {
  readonly report: ReviewReport;
  readonly exitCode: ExitCodeValue;
}

function nothingIn({ label, base, head }: Target): Reviewed {
  const report = { verdict: 'approved', why: '', target: label, base, head, reviewers: [], findings: [] } as const;
  const notes = 'There is no change to review.';
  return { report: { ...report, notes, fixes: [], costUsd: null }, exitCode: ExitCode.complete };
}

async function reviewed(git: Git, target: Target, branch: string | null, asked: Asked, io: Io): Promise<Reviewed> {
  const { root } = git.repo;
  await freeze(root, 'repository');
  const { config: own, warnings } = await loadConfig({
    ...{ root, env: io.env, flags: asked.run.config, runsCode: true, onUntrusted: 'refuse' },
  });
  for (const warning of warnings) io.stderr.write(`warning: ${warning}\n`);
  const config = settingsFor(own, asked);
  const place = await openPlace(git, target, io);
  try {
    if (asked.fix) await setUp(place, root, config, asked, io);
    const summary = await runIn(place, target, config, asked, io);
    const commits = branch === null ? [] : await bringFixes(git, place, target, branch, summary, io);
    return await resultOf(place, target, summary, commits);
  } finally {
    await place.close();
  }
}

/**
 * The user's settings; those of the change under review count for nothing. One review without fixes is the last one:
 * its findings stand, and never become an approval.
 */
function settingsFor(own: Config, { run, panel = own.review.panel, fix }: Asked): Config {
  const isNamed = run.config.agent !== undefined;
  const agents = isNamed ? null : own.review.agents;
  const reviewCap = fix ? own.reviewCap : 1;
  const templates = { 'review-fix': 'fix: address review findings', wip: 'wip: address review findings' };
  return {
    ...own,
    ...{ branch: false, plugins: [], skipReview: false, reviewCap, onReviewCap: 'block', dirty: 'refuse' },
    ...(fix ? {} : { agent: agents ?? own.agent, verifyCommands: [] }),
    review: { agents, panel },
    maxIterations: Math.max(own.maxIterations, reviewCap * (panel + 1) + own.storyMaxAttempts),
    commit: { ...own.commit, templates: { ...templates, ...own.commit.templates } },
  };
}

/** Who fixes has to run the tests: the dependencies are installed as for the work tree of a stream. */
async function setUp({ git, workspace }: ReviewPlace, from: string, config: Config, { run }: Asked, io: Io) {
  const { setUpTree } = await import('../../streams/set-up.ts');
  const tell = (text: string) => void io.stderr.write(`${oneLine(text)}\n`);
  const openRun = turnPorts(io, run.config.isolation !== undefined);
  const signal = new AbortController().signal;
  try {
    await setUpTree({ git, workspace, config, from, env: io.env, openRun, signal, tell });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(`warning: ${error.facts.what}; the agent works without them`);
  }
}

async function runIn(
  { git, workspace }: ReviewPlace,
  { base, label }: Target,
  config: Config,
  asked: Asked,
  io: Io,
): Promise<RunSummary> {
  const openRun = turnPorts(io, asked.run.config.isolation !== undefined);
  const { see, close, ...ports } = await openRun({ git, workspace, config });
  const request = { ...asked.run.request, change: { base, reviewOnly: !asked.fix } };
  const aside = { ...io, stdout: io.stderr };
  const log = asked.verbose ? createRunLog({ io: aside, verbose: true, now: systemClock.now }) : null;
  const tell = (event: RalphEvent) => {
    const line = lineOf(event, label);
    if (line !== null) io.stderr.write(`${oneLine(line)}\n`);
  };
  try {
    const input = { ...ports, git, clock: systemClock, env: io.env, config, request };
    return await runWithSignals(input, (event) => {
      see(event);
      (log ?? tell)(event);
    });
  } finally {
    log?.close();
    await close();
  }
}

/** What a person who waits should know. */
function lineOf(event: RalphEvent, label: string): string | null {
  switch (event.type) {
    case 'select':
      return event.mode === 'review' ? `reviewing ${label}` : 'addressing the findings';
    case 'agent-start':
      return `${event.agent}${event.model ? ` (${event.model})` : ''} at work`;
    case 'wait':
      return `waiting: ${event.text}`;
    case 'notice':
      return event.level === 'warning' ? `warning: ${event.text}${event.fix ? ` (${event.fix})` : ''}` : null;
    default:
      return null;
  }
}

/** Puts the commits of fixes at the end of the user's branch. */
async function bringFixes(git: Git, place: ReviewPlace, target: Target, branch: string, { run }: RunSummary, io: Io) {
  const to = (await place.git.resolve('HEAD')) ?? target.head;
  if (to === target.head) return [];
  const moved = await git.advanceBranch({ branch, expected: target.head, to });
  if (moved.kind === 'moved-by-someone' || moved.kind === 'in-the-way') await keepFixes(git, run, to, io);
  const { commits } = await git.commitsBetween(target.head, to, 100);
  return commits.map(({ id, subject }) => ({ commit: id, subject })).reverse();
}

async function resultOf(
  { git, workspace }: ReviewPlace,
  { label, base, head }: Target,
  { exitCode, reason, detail, costUsd }: RunSummary,
  fixes: ReviewReport['fixes'],
): Promise<Reviewed> {
  const { document } = await loadOrThrow(workspace);
  const story = document.backlog.stories.find(({ id }) => id === STORY);
  if (story === undefined) throw new Error('the story of the review is gone');
  const lines = await readLedger(git.repo.stateDir);
  const reviewers = new Set(lines.flatMap((line) => (isReview(line) ? line.agent : [])));
  const open = readFindings(document.reviewsText, STORY).filter(({ state }) => state === 'open');
  const isApproved = story.passes && story.reviewStatus === 'approved';
  const points = isApproved ? [] : open.map((finding) => pointOf(finding, [...reviewers]));
  const rest = isApproved ? '' : restOf(story.reviewFeedback, open);
  const loops =
    rest === ''
      ? []
      : [{ id: 'F-loop', file: null, line: null, severity: 'error' as const, text: rest, by: ['ralph'] }];
  const isSentBack = !isApproved && story.reviewStatus === 'changes_requested';
  const report: ReviewReport = {
    verdict: isApproved ? 'approved' : isSentBack ? 'changes-requested' : null,
    why: isApproved || isSentBack ? '' : (story.blocked ?? (detail || reason)),
    target: label,
    base,
    head,
    reviewers: [...reviewers],
    findings: [...points, ...loops],
    // The loop's own words, where the reviewer left none, say nothing here.
    notes: isApproved && !story.notes.startsWith('done in iteration ') ? story.notes : '',
    fixes,
    costUsd,
  };
  // For the run, findings that end it block its story; for a script they are the answer.
  return { report, exitCode: isSentBack && reason === 'blocked' ? ExitCode.incomplete : exitCode };
}

function isReview(line: LedgerLine): line is LedgerIteration {
  return line.kind === 'iteration' && line.mode === 'review' && line.verdict === 'accepted';
}
