import { hostname } from 'node:os';
import { openGit } from '../../adapters/git/index.ts';
import {
  adoptSteering,
  loadOrThrow,
  mainRoot,
  newRunId,
  readLedger,
  readRunRecord,
  readSteering,
  streamRoot,
  writeRunRecord,
} from '../../adapters/workspace/index.ts';
import { RUN_RECORD_VERSION, type RunLimits, STEERING_VERSION, type Story, UsageError } from '../../contracts/index.ts';
import { commitBookkeeping, type RunContext } from '../../loop/index.ts';
import { crashpoint, oneAtATime, readBytes, writePrivate } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import { breakerOf, rateOf } from '../../rules/safeguards/index.ts';
import { steeringOf } from '../../rules/steering/index.ts';
import { bringSpec, dropEmptyFolder, prepareTree, streamName } from '../tree.ts';
import { type Crew, type Lane, loopTexts, type ParallelInput, readLaneWork, setWork } from './crew.ts';
import { iterationNumbers } from './limits.ts';

/** A run with the lanes that an earlier one left. @throws UsageError where no branch is checked out */
export async function gatherCrew(context: RunContext, input: ParallelInput): Promise<Crew> {
  const branch = await context.git.currentBranch();
  if (branch === null) {
    throw new UsageError({
      what: 'no branch is checked out that stories could land on',
      why: '`--parallel` brings each story onto the branch when it is done',
      fix: ['leave out --no-branch', 'or check one out: git switch -c NAME'],
    });
  }
  const team = [...(await lanesOf(context))];
  return {
    ...input,
    context,
    branch,
    team,
    handed: new Set(),
    numberOf: iterationNumbers(context, input.onIteration),
    inOrder: oneAtATime(),
    tellBreaker: breakerTeller(context),
  };
}

function breakerTeller(context: RunContext): () => void {
  let before = breakerOf(context.ledger, context.config.circuit).state;
  return () => {
    const { state, reason, evidence, fix } = breakerOf(context.ledger, context.config.circuit);
    // One failing lane beside working ones half-opens and closes it with every line.
    if (state === 'half-open' && before === 'closed') return;
    if (state !== before) context.emit(0, { type: 'circuit', from: before, to: state, reason, evidence, fix });
    before = state;
  };
}

const FREE = { notBefore: 0, claimed: null, calls: 0, held: null, stuck: null } as const;

/** The existing lanes of a workspace, by number. */
export async function lanesOf({ git, workspace, env }: Pick<RunContext, 'git' | 'workspace' | 'env'>): Promise<Lane[]> {
  const prefix = streamRoot(await mainRoot(git), `${streamName(workspace)}-lane-`);
  const lanes: Lane[] = [];
  for (const { root, missing } of await git.worktrees()) {
    const number = Number(/^[1-9]\d{0,3}$/.exec(root.startsWith(prefix) ? root.slice(prefix.length) : '')?.[0]);
    if (missing || Number.isNaN(number)) continue;
    const own = await openGit(root, { env });
    lanes.push({ number, git: own, work: await readLaneWork(own.repo.stateDir), ...FREE });
  }
  return lanes.sort((one, other) => one.number - other.number);
}

/** A lane without a story: an existing one, or a new one. */
export async function freeLane(crew: Crew, busy: ReadonlySet<Lane>): Promise<Lane> {
  const free = crew.team.find((lane) => lane.work === null && !busy.has(lane));
  if (free) return free;
  const { context } = crew;
  const taken = new Set(crew.team.map(({ number }) => number));
  let number = 1;
  while (taken.has(number)) number += 1;
  const root = streamRoot(await mainRoot(context.git), `${streamName(context.workspace)}-lane-${number}`);
  await context.git.addWorktree({ path: root, branch: null, from: crew.branch });
  const lane: Lane = { number, git: await openGit(root, { env: context.env }), work: null, ...FREE };
  crew.team.push(lane);
  return lane;
}

/** Copies and sets up once what the settings name. */
export async function prepareLane({ context, flags, openRun }: Crew, { number, git }: Lane): Promise<void> {
  const { env, signal, workspace } = context;
  const { root } = git.repo;
  const tell = (text: string) => context.emit(0, { type: 'notice', level: 'info', text: `lane ${number}: ${text}` });
  const from = context.git.repo.root;
  // Where git ignores the spec folder, no commit brought it.
  await bringSpec(from, root, workspace, false);
  await prepareTree({ root, specDir: workspace.specDir, from, flags, env, openRun, signal, tell });
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
export async function openLaneRun(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const previous = await readRunRecord(stateDir);
  if (previous === null || previous.ended !== null) await newLaneRun(crew, lane);
  const record = await readRunRecord(stateDir);
  if (record?.limits == null) return;
  const { used } = rateOf({ ledger: await readLedger(stateDir), now: crew.context.clock.now(), limit: 0 });
  await writeRunRecord(stateDir, { ...record, limits: { ...record.limits, calls: used + lane.calls } });
}

/**
 * The lane's next prompt carries what people said about its story, and what they said about any, if no other lane has
 * it. @returns gives back what no prompt carried
 */
export async function handNotes({ context, handed }: Crew, lane: Lane): Promise<() => Promise<void>> {
  const { stateDir } = lane.git.repo;
  const story = lane.work?.story;
  const notes = context.steering.now().notes.filter((note) => (note.story ?? story) === story && !handed.has(note.id));
  for (const { id } of notes) handed.add(id);
  await adoptSteering(
    stateDir,
    notes.map((note) => ({ version: STEERING_VERSION, kind: 'note', ...note })),
  );
  return async () => {
    const left = steeringOf(await readSteering(stateDir), await readLedger(stateDir), '');
    for (const { id } of left.notes) handed.delete(id);
  };
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

export async function dismissFree({ context, team }: Crew): Promise<void> {
  for (const lane of team) if (lane.work === null) await context.git.removeWorktree(lane.git.repo.root);
  await dropEmptyFolder(context.git);
}

/** A story that was done elsewhere while a lane had work on it, which is kept. */
interface Cleared {
  readonly story: string;
  readonly rescue: string;
}

type Place = Pick<RunContext, 'git' | 'workspace' | 'env' | 'clock'>;

/**
 * After a run without lanes: removes lanes of an earlier run that are free, or whose stories are done by now. The
 * caller holds the lock of the work tree.
 */
export async function clearLanes(place: Place): Promise<readonly Cleared[]> {
  const { git, workspace } = place;
  const { document } = await loadOrThrow(workspace);
  const open = new Set(document.backlog.stories.filter((story) => !isDone(story)).map(({ id }) => id));
  const cleared: Cleared[] = [];
  for (const lane of await lanesOf(place)) {
    const { work } = lane;
    if (work !== null && open.has(work.story)) continue;
    const rescue = work === null ? null : await keepAll(place, lane, work.base);
    if (work !== null && rescue !== null) cleared.push({ story: work.story, rescue });
    await git.removeWorktree(lane.git.repo.root);
  }
  await dropEmptyFolder(git);
  return cleared;
}

/** Keeps commits and what a crash left uncommitted. @returns the name of the rescue; null where there is nothing */
async function keepAll({ git, clock }: Place, lane: Lane, base: string): Promise<string | null> {
  const { work } = lane;
  const head = work?.landing?.head ?? (await lane.git.resolve('HEAD'));
  if (work === null || head === null) return null;
  const tree = work.landing ? await git.treeWith(head, {}) : await lane.git.tree();
  if ((await git.changes(base, tree)).length === 0) return null;
  const record = await readRunRecord(git.repo.stateDir);
  const { name } = await git.rescue({
    run: record?.run ?? 'lanes',
    iteration: 0,
    tree,
    parents: [head],
    subject: `rescue: ${work.story} is already done; this is the work of a lane on it`,
    date: clock.now(),
  });
  return name;
}

/**
 * A landing that was interrupted while the branch and its work tree were moved leaves files of both states: it is
 * finished before any check for uncommitted changes. The caller holds the lock of the work tree.
 */
export async function finishLandings(place: Pick<RunContext, 'git' | 'workspace' | 'env'>): Promise<void> {
  for (const { work } of await lanesOf(place)) {
    const move = work?.landing?.move;
    if (move) await place.git.advanceBranch({ branch: move.branch, expected: move.from, to: move.to });
  }
}
