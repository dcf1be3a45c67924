import { loadOrThrow, type Marker } from '../../adapters/workspace/index.ts';
import type { EndReason, EventBody, LedgerIteration, RalphEvent, Story } from '../../contracts/index.ts';
import {
  applyCircuitReset,
  applyWords,
  type End,
  endByCondition,
  failureText,
  hasFailed,
  isUntilReached,
  LISTEN_EVERY_MS,
  passGate,
  type RunContext,
} from '../../loop/index.ts';
import { type BacklogDocument, isDone } from '../../rules/backlog/index.ts';
import { iterationsUsed } from '../../rules/safeguards/index.ts';
import { misfitsOf, type NextStory, nextForLane } from '../../rules/streams/index.ts';
import { workspaceOfStream } from '../tree.ts';
import { takeTurn } from '../turn.ts';
import { abandon, type Crew, type Lane, type ParallelInput, setWork, takeOver } from './crew.ts';
import { land } from './land.ts';
import { callsFor, leftOf, mayStart, withHeld } from './limits.ts';
import { beginStory, dismissFree, freeLane, gatherCrew, handNotes, openLaneRun, prepareLane } from './team.ts';

interface Shift {
  /** Lanes with an active turn or landing. */
  readonly busy: Map<Lane, Promise<void>>;
  /** Lanes whose stories are done, in the order they were finished, which is also the landing order. */
  readonly toLand: Lane[];
  landing: Lane | null;
  end: End | null;
  /** The failure of a lane: the others end gracefully first. */
  failure: { readonly error: unknown } | null;
}

/** The rounds of a run with lanes; they replace those of a run that does one story after the other. */
export function roundsInLanes(input: ParallelInput): (context: RunContext, marker: Marker) => Promise<End> {
  return async (context, marker) => {
    const crew = await gatherCrew(context, input);
    try {
      for (const lane of crew.team) if (lane.work) await takeOver(crew, lane, lane.work.landing !== null);
      return await workInLanes(crew, marker);
    } finally {
      await dismissFree(crew);
    }
  };
}

async function workInLanes(crew: Crew, marker: Marker): Promise<End> {
  const { context, team } = crew;
  const toLand = team.filter(({ work }) => work?.landing != null);
  const shift: Shift = { busy: new Map(), toLand, landing: null, end: null, failure: null };
  for (;;) {
    const left = await look(crew, shift, marker);
    if (left === 'again') continue;
    if (shift.busy.size === 0) {
      if (shift.failure) throw shift.failure.error;
      const end = shift.end ?? endOf(crew, left);
      if (end) return end;
    }
    const listens = left === 'listen' || shift.busy.size === 0;
    const sleep = listens ? [context.clock.sleep(LISTEN_EVERY_MS, context.signal)] : [];
    await Promise.race([...shift.busy.values(), ...sleep]);
  }
}

/** Reads steering, and begins what may begin. @returns what is left to wait for; null: for what is active */
async function look(crew: Crew, shift: Shift, marker: Marker): Promise<Left | null> {
  try {
    const document = await crew.inOrder(() => hear(crew, shift));
    shift.end ??= stopOf(crew.context);
    landNext(crew, shift);
    return shift.end || shift.failure ? null : await startTurns(crew, shift, document, marker);
  } catch (error) {
    // What is active ends gracefully first.
    shift.failure ??= { error };
    return null;
  }
}

/** Reads new steering and the current backlog. A story that people took from a lane is theirs. */
async function hear(crew: Crew, shift: Shift): Promise<BacklogDocument> {
  const { context, team } = crew;
  await applyWords(context, new Set(team.flatMap(({ work }) => work?.story ?? [])));
  await applyCircuitReset(context);
  crew.tellBreaker();
  const { document } = await loadOrThrow(context.workspace);
  context.showBacklog(document.backlog);
  const { stories } = document.backlog;
  for (const lane of team) {
    if (lane.work === null || lane.work.landing !== null || shift.busy.has(lane)) continue;
    const story = stories.find(({ id }) => id === lane.work?.story);
    const why = whyNotWorkedOn(story);
    if (why !== null) await abandon(crew, lane, why);
  }
  if (isUntilReached(context.request, stories)) shift.end ??= { reason: 'until' };
  return document;
}

/** A person, or a run without lanes, may have changed it meanwhile. */
function whyNotWorkedOn(story: Story | undefined): string | null {
  if (story === undefined) return 'it is no longer in the backlog';
  if (isDone(story)) return 'it is done on the branch';
  return story.blocked === undefined ? null : 'it is blocked on the branch';
}

function stopOf({ signal }: RunContext): End | null {
  if (!signal.aborted) return null;
  return { reason: signal.reason === 'terminated' || signal.reason === 'stopped' ? signal.reason : 'interrupted' };
}

/** One story lands at a time, also while the run is about to end, but not when it must end at once. */
function landNext(crew: Crew, shift: Shift): void {
  const { context } = crew;
  const [lane] = shift.toLand;
  if (lane === undefined || shift.landing !== null || shift.failure !== null || context.signal.aborted) return;
  shift.toLand.shift();
  shift.landing = lane;
  begin(shift, lane, async () => {
    try {
      const landed = await land(crew, lane);
      if (landed.kind === 'stuck') {
        lane.stuck = landed.text;
        context.emit(0, { type: 'notice', level: 'warning', text: `${landed.text}.`, fix: landed.fix });
      }
      const { document } = await loadOrThrow(context.workspace);
      const isOver = document.backlog.stories.every(isDone) ? null : await endByCondition(context, document);
      shift.end ??= isOver;
    } finally {
      shift.landing = null;
    }
  });
}

type Task = { readonly lane: Lane } | { readonly story: Story };

/**
 * `listen`: the gate may open. `again`: it may be open by now. `full`: no lane is free. Otherwise the backlog's answer.
 */
type Left = 'listen' | 'again' | 'full' | Exclude<NextStory['kind'], 'start'>;

/** Starts turns while there is room. */
async function startTurns(crew: Crew, shift: Shift, { backlog }: BacklogDocument, marker: Marker): Promise<Left> {
  const { context, team } = crew;
  for (;;) {
    if (shift.busy.size >= crew.lanes) return 'full';
    const task = nextTask(crew, shift, backlog.stories);
    if (typeof task === 'string') return task;
    if ('story' in task && team.filter(({ work, claimed }) => work ?? claimed).length >= crew.lanes) return 'full';
    const now = withHeld(crew);
    const gate = mayStart(now, team);
    if (gate.kind === 'end') {
      if (gate.overrun) context.emit(0, { type: 'budget', overrun: gate.overrun, story: null });
      shift.end = { reason: gate.reason, detail: gate.text };
      return 'again';
    }
    if (gate.kind === 'hold') return 'listen';
    if (gate.kind === 'wait') {
      if (shift.busy.size > 0) return 'listen';
      await passGate(now);
      context.record = now.record;
      return 'again';
    }
    const lane = 'lane' in task ? task.lane : await freeLane(crew, new Set(shift.busy.keys()));
    const story = 'story' in task ? task.story : backlog.stories.find(({ id }) => id === lane.work?.story);
    await marker.update(story ?? null, null, backlog.stories);
    if ('story' in task) lane.claimed = task.story.id;
    lane.calls = callsFor(now, team);
    begin(shift, lane, () => workOn(crew, shift, lane, 'story' in task ? task.story : null));
  }
}

/** Stories at work go first: they hold up those that depend on them. */
function nextTask(crew: Crew, shift: Shift, stories: readonly Story[]): Task | Exclude<NextStory['kind'], 'start'> {
  const { context, team } = crew;
  const { config, ledger, steering, clock } = context;
  const ready = team.find(
    (lane) => lane.work?.landing === null && !shift.busy.has(lane) && lane.notBefore <= clock.now(),
  );
  if (ready) return { lane: ready };
  const most = steering.limits().storyMaxAttempts;
  const next = nextForLane({
    stories,
    skipReview: config.skipReview,
    atWork: new Set(team.flatMap(({ work, claimed }) => work?.story ?? claimed ?? [])),
    alone: new Set(stories.filter(({ id }) => misfitsOf(ledger, id) >= most).map(({ id }) => id)),
  });
  return next.kind === 'start' ? { story: next.story } : next.kind;
}

/** One turn in a lane; for a new story, after its work tree is prepared. */
async function workOn(crew: Crew, shift: Shift, lane: Lane, story: Story | null): Promise<void> {
  if (story !== null) {
    await prepareLane(crew, lane);
    await crew.inOrder(() => beginStory(crew, lane, story));
  }
  const turn = await turnInLane(crew, lane);
  if (turn.kind === 'to-land') shift.toLand.push(lane);
  if (turn.kind === 'end') shift.end ??= { reason: turn.reason, detail: turn.detail };
  const { ledger, linesBefore, request } = crew.context;
  const lines = ledger.slice(linesBefore).filter((line): line is LedgerIteration => line.kind === 'iteration');
  const failed = request.stopOnFailure ? lines.find(hasFailed) : undefined;
  if (failed !== undefined) shift.end ??= { reason: 'failure', detail: failureText(failed) };
}

/** The result of a turn in a lane; `end`: the whole run ends for that reason. */
type LaneTurn =
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'to-land' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly detail: string };

async function turnInLane(crew: Crew, lane: Lane): Promise<LaneTurn> {
  const { context, flags, openRun } = crew;
  const { work } = lane;
  if (work === null) throw new Error(`lane ${lane.number} has no story`);
  await openLaneRun(crew, lane);
  const giveBack = await handNotes(crew, lane);
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
  }).finally(giveBack);
  const isFinished = outcome.kind === 'done' && (outcome.reason === 'complete' || outcome.reason === 'blocked');
  await takeOver(crew, lane, isFinished);
  if (isFinished) {
    const head = await lane.git.resolve('HEAD');
    if (head === null) throw new Error(`lane ${lane.number} has no commit`);
    const story = await storyIn(crew, lane, work.story);
    if (story === undefined || !(story.blocked !== undefined || isDone(story))) {
      // Started again, it would end the same way each time.
      await abandon(crew, lane, 'it could not be worked on there');
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

function begin(shift: Shift, lane: Lane, work: () => Promise<void>): void {
  const done = work()
    .catch((error: unknown) => {
      shift.failure ??= { error };
    })
    .finally(() => {
      lane.claimed = null;
      lane.calls = 0;
      shift.busy.delete(lane);
    });
  shift.busy.set(lane, done);
}

/** The end of a run in which nothing is active; null while a lane waits for a moment. */
function endOf({ team }: Crew, left: Left | null): End | null {
  const stuck = team.find((lane) => lane.stuck !== null)?.stuck;
  if (stuck && team.every((lane) => lane.work === null || lane.stuck !== null))
    return { reason: 'blocked', detail: stuck };
  if (left === 'complete') return { reason: 'complete' };
  return left === 'blocked' ? { reason: 'blocked' } : null;
}
