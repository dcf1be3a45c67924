import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import {
  type FleetBase,
  type FleetCheckout,
  type FleetFiles,
  type FleetStream,
  type Git,
  RemoteRefusal,
} from '../../adapters/git/index.ts';
import { adoptSteering, readRunRecord, readSteering, writeFiles } from '../../adapters/workspace/index.ts';
import { GitRefusal, messageOf, type SteeringEntry, type TurnReport } from '../../contracts/index.ts';
import { loopFiles, secureStart } from '../../loop/index.ts';
import { type Clock, crashpoint, makePrivateDir, readText, remove, writePrivate } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { GivenBack, type TakeTurn, type Turn } from '../engine/port.ts';
import { workspaceOfStream } from '../tree.ts';
import { isSealed, type LastingClone, sealed } from './clone.ts';
import { formatOutcome, type LastTurn, LOOSE, looseFiles, OUTCOME_FILE, parseOutcome } from './outcome-file.ts';
import { type FleetTask, readTask } from './task.ts';
import { AbortedTurn, aborted, blame, fenced, gone, withPatience } from './turn-errors.ts';

/** How long an unreachable remote is retried before a turn: nothing was done, other workers may succeed. */
const SHORT_PATIENCE_MS = 5_000;
/** The same after a turn, when there is work to lose. */
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
  /** A line for people about something no event reports; must not throw. */
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
 * One turn of a stream of the fleet, on any machine. The shared remote is authoritative: branch and state are fetched,
 * the turn is taken, and both are pushed in one step, only if no other worker has moved them. A turn that was pushed
 * but not reported, because its worker died in between, is reported without an agent.
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
    ports.say(turn.stream, `turn ${turn.n} was already taken: its work is on the remote`);
    return last.report;
  }
  const files = last === null ? filesWith(task, found) : found.files;
  if (files === null) return outdated(stream);
  return takeAndPush(ports, stream, task, turn, { ...found, files });
}

const digestOf = (spec: FleetTask['spec']) => createHash('sha256').update(JSON.stringify(spec?.files)).digest('hex');

/**
 * The state that a submission begins with: stories that a person changed replace those of the fleet if they know them.
 * @returns null where they do not
 */
function filesWith({ spec }: FleetTask, { files, base }: FleetCheckout): FleetFiles | null {
  const before = files[SUBMITTED];
  if (spec === undefined || before === digestOf(spec)) return files;
  return before === undefined || base.state === spec.from ? { ...files, [LOOSE]: JSON.stringify(spec.files) } : null;
}

function outdated({ stream }: FleetStream): TurnReport {
  const state = `refs/ralph/fleet/${stream}/state`;
  const text =
    'the submitted branch lacks what the fleet did since, and its stories have changed. ' +
    `\`ralph fleet cancel ${shellWord(stream)}\`, \`git fetch <remote> ${shellWord(`+${state}:${state}`)}\`, ` +
    `\`ralph stream merge ${shellWord(stream)} --unfinished\`, change the stories, then submit it`;
  return waits(text);
}

/** The work would go into commits that the person wants without it. */
function unnamed({ stream, branch }: FleetStream, { specDir }: FleetTask): TurnReport {
  return waits(
    `no .gitignore on ${branch} names ${specDir}, which git ignores where it was submitted. ` +
      `Commit the rule there, push, and \`ralph fleet retry ${shellWord(stream)}\``,
  );
}

/** Whether the branch still has what the last turn pushed. */
async function holds(ports: FleetTurnPorts, { root, base }: FleetCheckout, head: string | null): Promise<boolean> {
  return head === null || head === base.head || (await ports.openGit(root)).descends(base.head, head);
}

/** No part of such a state is trusted: neither the work it reports, nor the requests of people in it. */
function forged({ stream }: FleetStream): TurnReport {
  const ref = `refs/ralph/fleet/${stream}/state`;
  const text =
    `${ref} was not written by a worker with this RALPH_FLEET_KEY and is not trusted. Find out what moved it; ` +
    `then remove it, \`git push <remote> --delete ${shellWord(ref)}\`, and \`ralph fleet retry ${shellWord(stream)}\` continues from the branch`;
  return waits(text);
}

/** Commits were removed from the branch: only a person can say whether the ledger or the branch is right. */
function movedBack({ stream, branch }: FleetStream, head: string | null): TurnReport {
  const text =
    `${branch} was moved back: it does not contain ${head?.slice(0, 10)}, which the last turn pushed. ` +
    `Push that again and \`ralph fleet retry ${shellWord(stream)}\`, or continue from the current branch: ` +
    `\`ralph fleet cancel ${shellWord(stream)}\`, then submit it`;
  return waits(text);
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
  if (task.spec && (await git.namedByRules(Object.keys(task.spec.files))).length === 0) return unnamed(stream, task);
  crashpoint('fleet-turn-begun');
  const since = ports.clock.now();
  const report = await taken(ports, git, { root, task, turn });
  if (turn.signal.aborted) {
    throw aborted(stream, turn, await keepEnded(ports, stream, git, since));
  }
  const { outcome: end } = report;
  // An unavailable agent concerns this worker only; without a push the turn did not happen.
  if (end.kind === 'done' && end.reason === 'unavailable') throw new GivenBack(end.text, true);
  crashpoint('fleet-turn-taken');
  const state = await collectState(git, task.specDir);
  if (task.spec) state[SUBMITTED] = digestOf(task.spec);
  const outcome = formatOutcome({ submission: task.submission, n: turn.n, report, head: await git.resolve('HEAD') });
  await push(ports, stream, turn, base, sealed(ports.key, stream, { ...state, [OUTCOME_FILE]: outcome }));
  crashpoint('fleet-turn-pushed');
  return report;
}

/** When it fails, what its agent may have planted in the git dir is reverted before our code uses it again. */
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
    fix: ['`ralph fleet submit` pushes it', `or push it yourself: git push REMOTE ${shellWord(stream.branch)}`],
  });
}

/** For a person. */
function waits(text: string): TurnReport {
  const used = { costUsd: 0, tokens: 0, calls: [] };
  return { outcome: { kind: 'later', until: null, why: 'pause', text, all: false }, used };
}

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
      // For a remote that can be read but not written, agents would be started for nothing, again and again.
      const isRead = await ports.fleet.readState(stream).then(
        () => true,
        () => false,
      );
      throw isRead ? error : await unreachable(ports);
    },
  );
  // The next check-out keeps the refused work at a side ref.
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
    say(stream, `${messageOf(error)}; tried again in ${Math.round(ms / 1000)} s`);
  };
  const here = async () => {
    try {
      return await attempt();
    } catch (error) {
      // Without its folder git reports the missing folder as a problem of the remote.
      if (await fleet.isThere()) throw error;
      throw gone();
    }
  };
  return withPatience(here, { clock, patienceMs: given ?? patienceMs, isTransient: isUnreachable, onPause, signal });
}

/** Messages of a reachable remote that refuses the push. */
const REFUSED = /hook declined|protected branch|does not support --atomic|denycurrentbranch/i;

function isUnreachable(error: unknown): boolean {
  return error instanceof RemoteRefusal && !REFUSED.test(error.facts.why ?? '');
}

async function unreachable({ fleet }: FleetTurnPorts): Promise<GivenBack> {
  if (!(await fleet.isThere())) return gone();
  return new GivenBack('the git remote of the fleet cannot be reached', true);
}

/** A turn of another submission does not count for this one. */
function lastTurn({ files }: FleetCheckout, stream: string, task: FleetTask): LastTurn | null {
  const text = files[OUTCOME_FILE];
  if (text === undefined) return null;
  const last = parseOutcome(text, stream);
  return last.submission === task.submission ? last : null;
}

/** The work of an ended agent is rolled back by now, and its rescue is only in this clone. */
async function keepEnded({ fleet }: FleetTurnPorts, stream: FleetStream, git: Git, since: number): Promise<boolean> {
  const run = (await readRunRecord(git.repo.stateDir))?.run;
  const rescues = await git.rescues();
  // Commit times are whole seconds.
  const own = rescues.find(({ name, date }) => name.startsWith(`${run}/`) && date >= since - 1000);
  if (own === undefined) return false;
  await fleet.pushWip(stream, await git.treeWith(own.commit, {}));
  return true;
}

/**
 * The authoritative files in a work tree's state folder (docs/architecture.md, State); the rest is rebuilt or local to
 * one machine.
 */
const DECIDING = ['ledger.jsonl', 'run.json'] as const;
/** Steering by people: each worker that takes it over signs it again, after checking its seal. */
const SAID = 'steering.json';
/** Digest of the stories that a person submitted last, where no branch has them. */
const SUBMITTED = 'submitted';

/**
 * Sets the state folder of a work tree, and the loop's files in it, to those of the stream. Leftovers of an earlier
 * turn on this machine were not pushed and do not count, its journal included.
 * @throws StateError when the state names files outside the work tree
 */
async function restoreState(git: Git, files: FleetFiles): Promise<void> {
  const { root, stateDir } = git.repo;
  const loose = looseFiles(files[LOOSE]);
  await makePrivateDir(stateDir);
  await remove(`${stateDir}/journal`);
  for (const name of DECIDING) {
    const text = files[name];
    if (text === undefined) await remove(`${stateDir}/${name}`);
    else await writePrivate(`${stateDir}/${name}`, text);
  }
  await adoptSteering(stateDir, said(files[SAID]));
  await writeFiles(root, loose);
}

/** The state of a stream after a turn, for the next one on any machine. */
async function collectState(git: Git, specDir: string): Promise<Record<string, string>> {
  const { root, stateDir } = git.repo;
  const files: Record<string, string> = {};
  for (const name of DECIDING) {
    const text = await readText(`${stateDir}/${name}`);
    if (text !== null) files[name] = text;
  }
  const entries = await readSteering(stateDir);
  if (entries.length > 0) files[SAID] = `${JSON.stringify(entries)}\n`;
  const loose: Record<string, string | null> = {};
  const head = await git.resolve('HEAD');
  const tree = await git.tree();
  for (const { path } of head === null ? [] : await git.changes(head, tree)) {
    if (specDir !== '.' && !path.startsWith(`${specDir}/`)) continue;
    const bytes = await git.show(tree, path);
    loose[path] = bytes === null ? null : Buffer.from(bytes).toString('utf8');
  }
  const workspace = await workspaceOfStream(root, specDir);
  const own = [...loopFiles(workspace), workspace.prdPath, workspace.promptPath];
  for (const path of await git.namedByRules(own)) loose[path] = await readText(`${root}/${path}`);
  if (Object.keys(loose).length > 0) files[LOOSE] = `${JSON.stringify(loose)}\n`;
  return files;
}

function said(text: string | undefined): readonly SteeringEntry[] {
  return text === undefined ? [] : (JSON.parse(text) as readonly SteeringEntry[]);
}
