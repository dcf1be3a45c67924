import { hostname } from 'node:os';
import { loadOrThrow, newRunId, readLedger, readRunRecord, writeRunRecord } from '../../adapters/workspace/index.ts';
import {
  type EndReason,
  type EventBody,
  type RalphEvent,
  RUN_RECORD_VERSION,
  type RunLimits,
  type Story,
} from '../../contracts/index.ts';
import { commitBookkeeping } from '../../loop/index.ts';
import { crashpoint, readBytes, writePrivate } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { iterationsUsed, rateOf } from '../../rules/safeguards/index.ts';
import { bringSpec, workspaceOfStream } from '../tree.ts';
import { takeTurn } from '../turn.ts';
import { abandon, type Crew, type Lane, loopTexts, setWork, takeOver } from './crew.ts';
import { leftOf } from './limits.ts';

/** The result of a turn in a lane; `end`: the whole run ends for that reason. */
type LaneTurn =
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'to-land' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly detail: string };

export async function turnInLane(crew: Crew, lane: Lane): Promise<LaneTurn> {
  const { context, flags, openRun } = crew;
  const { work } = lane;
  if (work === null) throw new Error(`lane ${lane.number} has no story`);
  await openLaneRun(crew, lane);
  const { outcome } = await takeTurn({
    root: lane.git.repo.root,
    stateDir: lane.git.repo.stateDir,
    specDir: context.workspace.specDir,
    // The work tree is at a commit; no other process changes anything there.
    flags: { ...flags, branch: false, requireGreen: false },
    // The breaker of the run decides for all lanes.
    request: { only: work.story, until: null, once: false, resetCircuit: true, limits: {} },
    left: leftOf(crew),
    openRun,
    env: context.env,
    signal: context.signal,
    onEvent: (event) => tellOfLane(crew, lane, event),
  });
  const isFinished = outcome.kind === 'done' && (outcome.reason === 'complete' || outcome.reason === 'blocked');
  await takeOver(crew, lane, isFinished);
  if (isFinished) {
    const head = await lane.git.resolve('HEAD');
    if (head === null) throw new Error(`lane ${lane.number} stands at no commit`);
    const story = await storyIn(crew, lane, work.story);
    if (story === undefined || !(story.blocked !== undefined || isDone(story))) {
      // Started anew it would end the same way, again and again.
      await abandon(crew, lane, 'nothing could be done for it there');
      throw new Error(`lane ${lane.number} found nothing to do for ${work.story}, which is not done`);
    }
    await setWork(lane, { ...work, landing: { head, blocked: !isDone(story), move: null } });
    return { kind: 'to-land' };
  }
  if (outcome.kind === 'done') return { kind: 'end', reason: outcome.reason, detail: outcome.text };
  lane.notBefore = outcome.kind === 'later' ? (outcome.until ?? context.clock.now()) : 0;
  return { kind: 'goes-on' };
}

async function storyIn({ context }: Crew, { git }: Lane, id: string): Promise<Story | undefined> {
  const workspace = await workspaceOfStream(git.repo.root, context.workspace.specDir);
  const { document } = await loadOrThrow(workspace);
  return document.backlog.stories.find((story) => story.id === id);
}

/** Gives a story to a free lane: its work tree moves to the current branch, and its ledger gets the run's lines. */
export async function beginStory(crew: Crew, lane: Lane, story: Story): Promise<void> {
  const { context, branch } = crew;
  const { git, workspace } = context;
  await commitBookkeeping(context, `before ${story.safeId} begins`);
  const base = await git.resolve(branch);
  if (base === null) throw new Error(`the branch ${branch} is gone`);
  await lane.git.resetTo(base);
  crashpoint('lane-reset');
  // Git-ignored files of the spec folder are in no commit.
  await bringSpec(git.repo.root, lane.git.repo.root, workspace, true);
  await copyLedger(git.repo.stateDir, lane.git.repo.stateDir);
  // Nothing of the previous story continues, not even its run.
  await newLaneRun(crew, lane);
  crashpoint('lane-run');
  // Last: a reader of it finds everything else in place.
  await setWork(lane, { story: story.id, base, files: await loopTexts(git.repo.root, workspace), landing: null });
  crashpoint('lane-begun');
}

/** Earlier attempts, failures and limits count in the lane, too. */
async function copyLedger(from: string, to: string): Promise<void> {
  await writePrivate(`${to}/ledger.jsonl`, (await readBytes(`${from}/ledger.jsonl`)) ?? '');
}

/**
 * Gives the lane an open run, that of its last turn on this story or a new one, which may start `lane.calls` agents.
 */
async function openLaneRun(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const previous = await readRunRecord(stateDir);
  if (previous === null || previous.ended !== null) await newLaneRun(crew, lane);
  const record = await readRunRecord(stateDir);
  if (record?.limits == null) return;
  const { used } = rateOf({ ledger: await readLedger(stateDir), now: crew.context.clock.now(), limit: 0 });
  await writeRunRecord(stateDir, { ...record, limits: { ...record.limits, calls: used + lane.calls } });
}

/** It has the checks from before the run. Its limits are wide: the parent run watches the usage of all lanes. */
async function newLaneRun({ context }: Crew, lane: Lane): Promise<void> {
  const { config, steering, workspace, clock, record } = context;
  const { storyMaxCost, storyMaxAttempts } = steering.limits();
  const maxIterations = config.maxAllowedIterations;
  const limits: RunLimits = { ...WIDE, maxIterations, storyMaxCost, storyMaxAttempts };
  await writeRunRecord(lane.git.repo.stateDir, {
    version: RUN_RECORD_VERSION,
    run: newRunId(clock.now()),
    startedAt: clock.now(),
    host: hostname(),
    pid: process.pid,
    specDir: workspace.specDir,
    baseline: record.baseline,
    ...(record.foundChecks ? { foundChecks: record.foundChecks } : {}),
    maxIterations,
    limits,
    ended: null,
  });
}

const WIDE = { calls: 1_000_000, maxCost: null, maxTokens: null, maxDurationMs: null } as const;

/** Events of a lane's own run that are not forwarded; the parent run emits them for all. */
const NOT_TOLD: ReadonlySet<string> = new Set([
  ...['run-start', 'backlog', 'limits', 'estimate', 'baseline', 'run-end', 'turn-end', 'wait', 'wait-end'],
  ...['circuit', 'budget', 'steering', 'exit-condition', 'recovered'],
]);

/** Forwards events of a lane as events of the run, with the run's number of the iteration. */
function tellOfLane(crew: Crew, lane: Lane, event: RalphEvent): void {
  const { context, numberOf } = crew;
  const { ts: _, run, iteration, ...body } = event;
  if (NOT_TOLD.has(body.type)) return;
  if (iteration === 0) tellOfStart(crew, lane, body as EventBody);
  else {
    const number = numberOf(run, iteration, lane.number);
    context.emit(number, asOfRun(crew, number, body as EventBody));
  }
}

/** Outside iterations a lane commits only for itself: such commits are part of what lands. */
function tellOfStart({ context }: Crew, { number }: Lane, body: EventBody): void {
  if (body.type === 'commit') return;
  context.emit(0, body.type === 'notice' ? { ...body, text: `lane ${number}: ${body.text}` } : body);
}

/** The progress of the run, not the lane: all earlier starts count as used, except ended ones that are free. */
function asOfRun({ context: { ledger, run, steering } }: Crew, number: number, body: EventBody): EventBody {
  if (body.type !== 'select') return body;
  const ended = ledger.filter((line) => line.kind === 'iteration' && line.run === run).length;
  const free = ended - iterationsUsed(ledger, run);
  return { ...body, used: number - 1 - free, limit: steering.limits().maxIterations };
}
