import type { Git } from '../../adapters/git/index.ts';
import {
  readDocument,
  readJournal,
  readLedger,
  readMarker,
  readRunRecord,
  readStatus,
  readSteering,
  type Workspace,
} from '../../adapters/workspace/index.ts';
import {
  type Backlog,
  type Config,
  type JournalEntry,
  type LedgerIteration,
  RalphError,
  type RunLimits,
  type RunRecord,
  type StatusFile,
  type StoryState,
} from '../../contracts/index.ts';
import { readText, systemClock } from '../../platform/index.ts';
import { select, storyState } from '../../rules/backlog/index.ts';
import { iterationsUsed } from '../../rules/safeguards/index.ts';
import { counted, dollars, endText, MODE_TEXT, oneLine, resultOf, sumCosts, usedText } from '../../rules/text/index.ts';
import { finishedInto, type LaneNow, lanesNow } from '../../streams/index.ts';
import { type Io, type Paint, paintFor } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { configOf, openWorkspace } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { renderSelection } from '../stories/list.ts';
import { type EarlierRun, type NextStep, nextStep, type RunStatus } from './next-step.ts';
import { isBetween, safeguardsLines, safeguardsView } from './safeguards.ts';

export async function status(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  if (isOn(flags, 'stats')) return (await import('./stats.ts')).statusStats(git, workspace, flags, io);
  const now = systemClock.now();
  const view = await statusView(git, workspace, io, now);
  return printResult(io, flags, view, renderStatus(view, now, paintFor(io)));
}

async function statusView(git: Git, workspace: Workspace, io: Io, now: number) {
  const { root, stateDir } = git.repo;
  const [document, branch, rescues, marker, file, record, ledger, entries, journal, config] = await Promise.all([
    workspace.backlog === null ? null : readDocument(workspace).then((loaded) => loaded.document),
    git.currentBranch(),
    git.rescues(),
    readMarker(root),
    readStatus(root),
    readRunRecord(stateDir),
    readLedger(stateDir),
    readSteering(stateDir, warningsTo(io)),
    readJournal(stateDir).catch(() => null),
    readableConfig(git, io),
  ]);
  const backlog = document?.backlog ?? null;
  const lonePrompt = backlog?.format === 'prompt';
  const live = marker?.live === true && marker.marker.run === record?.run;
  const lines = ledger.filter((line) => line.kind === 'iteration');
  const told = live && file?.run === record?.run ? file : null;
  const underWay = { calls: callsUnderWay(journal, lines), costUsd: told?.costUsd ?? null };
  const safeguards = config && safeguardsView({ ledger, entries, record, config, backlog, live, now, underWay });
  const limits = safeguards && record?.ended === null ? safeguards.limits : null;
  const run = record && runStatus(record, live, told, lines, limits, lonePrompt);
  const lanes = await lanesNow({ git, workspace, env: io.env });
  const taken = new Set(lanes.map(({ story }) => story));
  const stories = backlog?.stories ?? [];
  const left = stories.length > 0 ? select(stories, { skipReview: false }) : null;
  const finished = left?.kind === 'complete' && branch !== null ? await finishedInto(git, branch) : null;
  const total = backlog?.stories.length ?? null;
  const [start] = (await readText(`${stateDir}/advance`).catch(() => null))?.split(' ') ?? [];
  const mergeCutOff = start !== undefined && start === (await git.resolve('HEAD'));
  const next = nextStep({ root, run, stories: total, lonePrompt, upNext: left, finished, mergeCutOff, safeguards });
  return {
    project: root,
    specDir: workspace.specDir,
    branch,
    run,
    /** The last run that had iterations, where the last of all ended before its first one. */
    worked: run && lastWorked(run, lines),
    /** There is no backlog: the agent's own words decide when the work is done. */
    lonePrompt,
    /** null when the backlog is missing or cannot be read. */
    stories: backlog && countStates(backlog),
    /** Stories that lanes of `ralph run --parallel` have. */
    lanes,
    /** Of the stories that no lane has. */
    upNext: left && taken.size > 0 ? select(stories, { skipReview: false, taken }) : left,
    /** null when the configuration cannot be read: it has their thresholds. */
    safeguards,
    rescues: rescues.length,
    next: inLanes(next, lanes),
  };
}

type StatusView = Awaited<ReturnType<typeof statusView>>;

/** Prints refused lines, such as unsigned ones: no more than a screen holds. */
function warningsTo(io: Io): (problem: string) => void {
  let told = 0;
  return (problem) => {
    if (told++ < 20) io.stderr.write(`warning: ${oneLine(problem)}\n`);
  };
}

/** A run without lanes would start the stories of the lanes from the beginning. */
function inLanes(next: NextStep, lanes: readonly LaneNow[]): NextStep {
  if (lanes.length === 0 || next.command !== 'ralph run') return next;
  return { ...next, command: `ralph run --parallel ${Math.max(2, lanes.length)}` };
}

/** Starts of agent processes that the ledger gets only when their iteration has ended. */
function callsUnderWay(entry: JournalEntry | null, lines: readonly LedgerIteration[]): readonly number[] {
  if (entry === null || entry.phase === 'done') return [];
  if (lines.some(({ run, iteration }) => run === entry.run && iteration === entry.iteration)) return [];
  if (entry.phase === 'checkpointed') return entry.calls ?? [entry.startedAt];
  return (entry.phase === 'agent-ended' ? entry.outcome.calls : entry.plan.ledger.calls) ?? [entry.startedAt];
}

/** A faulty configuration must not hide the status; `ralph config` and every run report the faults. */
async function readableConfig(git: Git, io: Io): Promise<Config | null> {
  try {
    return (await configOf(git, io)).config;
  } catch (error) {
    if (error instanceof RalphError) return null;
    throw error;
  }
}

function runStatus(
  record: RunRecord,
  live: boolean,
  now: StatusFile | null,
  lines: readonly LedgerIteration[],
  limits: RunLimits | null,
  lonePrompt: boolean,
): RunStatus {
  // The status file is only a convenience and may be missing. The ledger is authoritative.
  const known = ledgerOf(record.run, lines);
  const ended = record.ended?.reason ?? null;
  return {
    ...known,
    // Including what the current process reported.
    costUsd: now && now.costUsd > (known.costUsd ?? 0) ? now.costUsd : known.costUsd,
    state: live ? 'running' : record.ended ? 'ended' : isBetween(record) ? 'between' : 'cut-off',
    iteration: Math.max(now?.iteration ?? 0, known.iteration),
    used: iterationsUsed(lines, record.run),
    maxIterations: limits?.maxIterations ?? record.maxIterations,
    mode: now?.mode ?? null,
    story: now?.story ?? null,
    ended,
    blocked: lonePrompt && ended === 'blocked' ? (lines.at(-1)?.blocked ?? null) : null,
  };
}

function ledgerOf(run: string, lines: readonly LedgerIteration[]): EarlierRun {
  const own = lines.filter((line) => line.run === run);
  return {
    run,
    iteration: Math.max(0, ...own.map((line) => line.iteration)),
    lastVerdict: own.at(-1)?.verdict ?? null,
    lastResult: lastResult(own.at(-1)),
    costUsd: sumCosts(own.map(({ costUsd }) => costUsd)),
  };
}

function lastResult(line: LedgerIteration | undefined): string | null {
  if (line === undefined) return null;
  const { verdict, mode, state, error } = line;
  return resultOf({ verdict, mode, claim: state, error: error?.kind ?? null }).text;
}

/** A run that ends before its first iteration says nothing about the work, so the one before it is shown. */
function lastWorked({ iteration, ended }: RunStatus, lines: readonly LedgerIteration[]): EarlierRun | null {
  const last = lines.at(-1);
  return last === undefined || iteration > 0 || ended === null ? null : ledgerOf(last.run, lines);
}

function countStates({ stories }: Backlog): Readonly<Record<StoryState | 'total', number>> {
  const counts: Record<StoryState | 'total', number> = {
    total: stories.length,
    done: 0,
    'done, unreviewed': 0,
    'needs review': 0,
    'changes requested': 0,
    blocked: 0,
    'to do': 0,
  };
  for (const story of stories) counts[storyState(story)] += 1;
  return counts;
}

function renderStatus(view: StatusView, now: number, paint: Paint): readonly string[] {
  const row = (label: string, text: string) => `${paint('dim', label.padEnd(9))}${text}`;
  return [
    row('project', `${oneLine(view.project)}${view.branch ? ` (branch ${oneLine(view.branch)})` : ''}`),
    row('spec', view.specDir),
    row('run', view.run === null ? 'none yet' : runText(view.run, paint)),
    ...(view.run?.blocked ? [row('', paint('warn', oneLine(view.run.blocked)))] : []),
    ...(view.worked ? [row('before', factsOf(view.worked, iterationText(view.worked.iteration)))] : []),
    row('stories', storiesText(view, paint)),
    ...(view.lanes.length > 0 ? [row('in lanes', view.lanes.map(laneText).join(', '))] : []),
    ...(view.upNext ? renderSelection(view.upNext).map((line, i) => row(i === 0 ? 'up next' : '', line)) : []),
    ...(view.safeguards === null
      ? [row('config', paint('bad', 'it cannot be read: ralph doctor'))]
      : safeguardsLines(view.safeguards, now, paint).map(([label, text]) => row(label, text))),
    ...(view.rescues > 0 ? [row('rescues', `${view.rescues}: ralph rescue list`)] : []),
    '',
    `${paint('dim', 'next:')} ${paint('strong', view.next.command)}  ${paint('dim', view.next.why)}`,
  ];
}

function laneText({ story, mode, landing }: LaneNow): string {
  const doing = landing ? 'to land' : mode && MODE_TEXT[mode];
  return `${oneLine(story)}${doing ? ` (${doing})` : ''}`;
}

function runText(status: RunStatus, paint: Paint): string {
  const { state, mode, story, ended } = status;
  const states = {
    running: paint('good', 'running'),
    between: paint('accent', 'between turns'),
    ended: ended === null ? 'ended' : endText(ended),
    'cut-off': paint('warn', 'was cut off'),
  };
  const work = mode && story ? [`${MODE_TEXT[mode]} ${oneLine(`${story.id} ${story.title}`)}`] : [];
  return factsOf(status, states[state], positionText(status), ...work);
}

function positionText({ state, iteration, used, maxIterations }: RunStatus): string {
  if (iteration === 0) return state === 'running' ? 'no iteration yet' : 'no iteration';
  // The active iteration is used only when it has ended.
  const isFree = iteration > used + (state === 'running' || state === 'cut-off' ? 1 : 0);
  return isFree
    ? `${iterationText(iteration)} · ${usedText(used, maxIterations)}`
    : `${iterationText(iteration)} of ${maxIterations}`;
}

const iterationText = (iteration: number) => `iteration ${iteration}`;

function factsOf({ run, lastResult, costUsd }: EarlierRun, ...facts: readonly string[]): string {
  return [run, ...facts, ...(lastResult ? [`last: ${lastResult}`] : []), ...(costUsd ? [dollars(costUsd)] : [])].join(
    ' · ',
  );
}

function storiesText({ stories, lonePrompt }: StatusView, paint: Paint): string {
  if (stories === null) return paint('bad', 'the backlog cannot be read: ralph validate');
  if (lonePrompt) return 'none, but one prompt: its agent says when everything is done';
  const { total, ...counts } = stories;
  const parts = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  return [counted(total, 'story', 'stories'), ...parts].join(' · ');
}
