import { dirname } from 'node:path';
import type { FleetBase, FleetCheckout, FleetStream } from '../../adapters/git/fleet/port.ts';
import { RemoteRefusal } from '../../adapters/git/fleet/remote-refusal.ts';
import type { Git } from '../../adapters/git/port.ts';
import { readRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { GitRefusal } from '../../contracts/errors.ts';
import type { TurnReport } from '../../contracts/streams.ts';
import { secureStart } from '../../loop/keep/secure.ts';
import type { Clock } from '../../platform/clock.ts';
import { crashpoint } from '../../platform/crashpoint.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { GivenBack } from '../engine/given-back.ts';
import type { TakeTurn, Turn } from '../engine/port.ts';
import { blame, gone } from './blame.ts';
import type { LastingClone } from './lasting-clone.ts';
import { formatOutcome, type LastTurn, OUTCOME_FILE, parseOutcome } from './outcome-file.ts';
import { withPatience } from './patience.ts';
import { isSealed, sealed } from './seal.ts';
import { collectState, restoreState } from './state.ts';
import { type FleetTask, readTask } from './task.ts';
import { AbortedTurn, aborted, fenced } from './turn-errors.ts';

/** How long a remote that cannot be reached is tried again before a turn: nothing was done, others may have more luck. */
const SHORT_PATIENCE_MS = 5_000;
/** And after it, when there is work to lose. */
const PATIENCE_MS = 5 * 60_000;

interface FleetTurnPorts {
  readonly fleet: LastingClone;
  /** Signs the state of streams at the remote. */
  readonly key: string;
  readonly clock: Clock;
  /** Git in a work tree of the clone. */
  readonly openGit: (root: string) => Promise<Git>;
  /** Takes the turn in that work tree, as a stream on this machine does. */
  readonly take: (place: Place) => Promise<TurnReport>;
  /** A line for people about what no event tells; must not throw. */
  readonly say: (stream: string, text: string) => void;
  /** Milliseconds; for tests. */
  readonly patienceMs?: number;
}

interface Place {
  readonly root: string;
  readonly task: FleetTask;
  readonly turn: Turn;
}

/**
 * One turn of a stream of the fleet, on whichever machine. What counts is what the shared remote has: branch and state
 * are fetched, the turn is taken, and both are pushed at one go, only if nobody else has moved them. A turn that was
 * pushed and not reported, because its worker died in between, is reported without an agent.
 */
export function fleetTurn(ports: FleetTurnPorts): TakeTurn {
  return async (turn) => {
    try {
      return await tryTurn(ports, turn);
    } catch (error) {
      if (error instanceof GivenBack || error instanceof AbortedTurn || turn.signal.aborted) throw error;
      const { fleet } = ports;
      throw blame(error, { folder: dirname(fleet.clone), isThere: await fleet.isThere() });
    }
  };
}

async function tryTurn(ports: FleetTurnPorts, turn: Turn): Promise<TurnReport> {
  const task = readTask(turn.stream, turn.task);
  const stream: FleetStream = { stream: turn.stream, branch: task.branch };
  const found = await checkOut(ports, stream, turn);
  if (!isSealed(ports.key, stream, found.files)) return forged(stream);
  const last = lastTurn(found, turn.stream, task);
  if (last !== null && last.n > turn.n) throw fenced(stream, `turn ${last.n} is on the remote`);
  if (last !== null && !(await holds(ports, found, last.head))) return movedBack(stream, last.head);
  if (last !== null && last.n === turn.n) {
    ports.say(turn.stream, `turn ${turn.n} was taken already: its work is on the remote`);
    return last.report;
  }
  return takeAndPush(ports, stream, task, turn, found);
}

/** Whether the branch still has what the last turn pushed. */
async function holds(ports: FleetTurnPorts, { root, base }: FleetCheckout, head: string | null): Promise<boolean> {
  return head === null || head === base.head || (await ports.openGit(root)).descends(base.head, head);
}

/** Nothing of such a state is believed: neither what it says was done, nor what people are said to have asked for. */
function forged({ stream }: FleetStream): TurnReport {
  const ref = `refs/ralph/fleet/${stream}/state`;
  const text =
    `${ref} was not written by a worker with this RALPH_FLEET_KEY: nothing of it is believed. Look at what moved it; ` +
    `then remove it, \`git push <remote> --delete ${shellWord(ref)}\`, and \`ralph fleet retry ${shellWord(stream)}\` goes on from the branch`;
  return { outcome: { kind: 'later', until: null, why: 'pause', text, all: false }, used: NOTHING };
}

/** Somebody took commits off the branch: whether the ledger or the branch is right only a person can say. */
function movedBack({ stream, branch }: FleetStream, head: string | null): TurnReport {
  const text =
    `somebody moved ${branch} back: it does not hold ${head?.slice(0, 10)}, which the last turn pushed. ` +
    `Push that again and \`ralph fleet retry ${shellWord(stream)}\`, or go on from what is there: ` +
    `\`ralph fleet cancel ${shellWord(stream)}\`, then submit it`;
  return { outcome: { kind: 'later', until: null, why: 'pause', text, all: false }, used: NOTHING };
}

async function takeAndPush(
  ports: FleetTurnPorts,
  stream: FleetStream,
  task: FleetTask,
  turn: Turn,
  { root, base, files }: FleetCheckout,
): Promise<TurnReport> {
  const git = await ports.openGit(root);
  await restoreState(git, files);
  crashpoint('fleet-turn-begun');
  const since = ports.clock.now();
  const report = await taken(ports, git, { root, task, turn });
  if (turn.signal.aborted) {
    throw aborted(stream, turn, await keepEnded(ports, stream, git, since));
  }
  const { outcome: end } = report;
  // An agent that went away is the matter of this worker; without a push it did not happen.
  if (end.kind === 'done' && end.reason === 'unavailable') throw new GivenBack(end.text, true);
  crashpoint('fleet-turn-taken');
  const state = await collectState(git, task.specDir);
  const outcome = formatOutcome({ submission: task.submission, n: turn.n, report, head: await git.resolve('HEAD') });
  await push(ports, stream, turn, base, sealed(ports.key, stream, { ...state, [OUTCOME_FILE]: outcome }));
  crashpoint('fleet-turn-pushed');
  return report;
}

/** When it fails, what its agent may have planted in the git dir is put back before anything of ours uses that again. */
async function taken({ take, clock }: FleetTurnPorts, git: Git, place: Place): Promise<TurnReport> {
  try {
    return await take(place);
  } catch (error) {
    await secureStart(git, clock);
    throw error;
  }
}

/** @throws GivenBack where the remote cannot be reached */
async function checkOut(ports: FleetTurnPorts, stream: FleetStream, turn: Turn): Promise<FleetCheckout> {
  try {
    const found = await overNetwork(ports, stream, turn, SHORT_PATIENCE_MS, () => ports.fleet.checkOut(stream));
    if (found !== null) return found;
  } catch (error) {
    if (!isUnreachable(error) || turn.signal.aborted) throw error;
    throw await unreachable(ports);
  }
  throw new GitRefusal({
    what: `the remote has no branch ${stream.branch}`,
    where: `stream ${stream.stream}`,
    mend: ['`ralph fleet submit` pushes it', `or push it yourself: git push REMOTE ${shellWord(stream.branch)}`],
  });
}

const NOTHING = { costUsd: 0, tokens: 0, calls: [] };

async function push(
  ports: FleetTurnPorts,
  stream: FleetStream,
  turn: Turn,
  base: FleetBase,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const pushed = await overNetwork(ports, stream, turn, PATIENCE_MS, () => ports.fleet.push(stream, base, files)).catch(
    async (error: unknown) => {
      if (!isUnreachable(error) || turn.signal.aborted) throw error;
      // A remote that can be read and not written would have agents started for nothing, again and again.
      const isRead = await ports.fleet.readState(stream).then(
        () => true,
        () => false,
      );
      throw isRead ? error : await unreachable(ports);
    },
  );
  // What was refused is kept at a side ref by the next check-out.
  if (pushed === 'pushed') return;
  throw fenced(stream, 'its branch or state moved meanwhile');
}

function overNetwork<T>(
  { clock, say, fleet, patienceMs: given }: FleetTurnPorts,
  { stream }: FleetStream,
  { signal }: Turn,
  patienceMs: number,
  attempt: () => Promise<T>,
): Promise<T> {
  const onPause = (error: unknown, ms: number) => {
    const why = error instanceof Error ? error.message : String(error);
    say(stream, `${why}; tried again in ${Math.round(ms / 1000)} s`);
  };
  const here = async () => {
    try {
      return await attempt();
    } catch (error) {
      // Git without its folder says of the remote what is true of the folder.
      if (await fleet.isThere()) throw error;
      throw gone();
    }
  };
  return withPatience(here, { clock, patienceMs: given ?? patienceMs, isTransient: isUnreachable, onPause, signal });
}

/** What a remote says that is there, and does not want this. */
const REFUSED = /hook declined|protected branch|does not support --atomic|denycurrentbranch/i;

function isUnreachable(error: unknown): boolean {
  return error instanceof RemoteRefusal && !REFUSED.test(error.facts.why ?? '');
}

async function unreachable({ fleet }: FleetTurnPorts): Promise<GivenBack> {
  if (!(await fleet.isThere())) return gone();
  return new GivenBack('the git remote of the fleet cannot be reached', true);
}

/** A turn of another submission is none of this one. */
function lastTurn({ files }: FleetCheckout, stream: string, task: FleetTask): LastTurn | null {
  const text = files[OUTCOME_FILE];
  if (text === undefined) return null;
  const last = parseOutcome(text, stream);
  return last.submission === task.submission ? last : null;
}

/** What an agent did that was ended is rolled back by now, and its rescue only in this clone. */
async function keepEnded({ fleet }: FleetTurnPorts, stream: FleetStream, git: Git, since: number): Promise<boolean> {
  const run = (await readRunRecord(git.repo.stateDir))?.run;
  const rescues = await git.rescues();
  // Commits have the time in whole seconds.
  const own = rescues.find(({ name, date }) => name.startsWith(`${run}/`) && date >= since - 1000);
  if (own === undefined) return false;
  await fleet.pushWip(stream, await git.treeWith(own.commit, {}));
  return true;
}
