import { openGit } from '../../adapters/git/index.ts';
import { mainRoot, streamRoot } from '../../adapters/workspace/worktrees/places.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { RunContext } from '../../loop/context.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import { dropEmptyFolder, prepareTree, streamName } from '../tree.ts';
import type { Crew, Lane, ParallelInput } from './crew.ts';
import { readLaneWork } from './lane-file.ts';
import { iterationNumbers } from './numbers.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** A run with the lanes that an earlier one left. @throws UsageError where no branch is checked out */
export async function gatherCrew(context: RunContext, input: ParallelInput): Promise<Crew> {
  const branch = await context.git.currentBranch();
  if (branch === null) {
    throw new UsageError({
      what: 'no branch is checked out that stories could land on',
      why: '`--parallel` brings each story onto the branch when it is done',
      mend: ['leave out --no-branch', 'or check one out: git switch -c NAME'],
    });
  }
  const team = [...(await lanesOf(context))];
  return {
    ...input,
    context,
    branch,
    team,
    numberOf: iterationNumbers(context, input.onIteration),
    alone: oneAtATime(),
    tellBreaker: breakerTeller(context),
  };
}

function breakerTeller(context: RunContext): () => void {
  let before = breakerOf(context.ledger, context.config.circuit).state;
  return () => {
    const { state, reason, evidence, mend } = breakerOf(context.ledger, context.config.circuit);
    // One lane that gets nowhere beside others that do half-opens and closes it with every line.
    if (state === 'half-open' && before === 'closed') return;
    if (state !== before) context.emit(0, { type: 'circuit', from: before, to: state, reason, evidence, mend });
    before = state;
  };
}

const FREE = { notBefore: 0, claimed: null, calls: 0, held: null, stuck: null } as const;

/** The lanes of a workspace that are there, by number. */
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

/** A lane without a story: one that is there already, or a new one. */
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

/** Copies and sets up there what the settings say, once. */
export async function prepareLane({ context, flags, openRun }: Crew, { number, git }: Lane): Promise<void> {
  const { env, signal, workspace } = context;
  const { root } = git.repo;
  const tell = (text: string) => context.emit(0, { type: 'notice', level: 'info', text: `lane ${number}: ${text}` });
  const from = context.git.repo.root;
  await prepareTree({ root, specDir: workspace.specDir, from, flags, env, openRun, signal, tell });
}

/** Removes the lanes that hold nothing. */
export async function dismissFree({ context, team }: Crew): Promise<void> {
  for (const lane of team) if (lane.work === null) await context.git.removeWorktree(lane.git.repo.root);
  await dropEmptyFolder(context.git);
}
