import type { CheckResult, LedgerIteration, LedgerLine, RedGreenProof, Story } from '../../contracts/index.ts';
import type { StoryProof } from '../../rules/judge/index.ts';
import {
  checksToTry,
  hasInlineTests,
  inconclusive,
  isGood,
  isRed,
  outcomeOfFiles,
  outcomeOfTries,
  type ProofFiles,
  proofFiles,
  type Tried,
  tell,
} from '../../rules/proof.ts';
import type { CleanRoom, Ended, RunContext } from '../context.ts';
import { isLoopsOwn, loopFiles } from '../protect/loop-files.ts';
import { checkInRoom } from '../room/room.ts';

interface Claimed {
  readonly story: Story;
  readonly checks: readonly CheckResult[];
  /** The work tree at the end of the iteration. */
  readonly tree: string;
}

/**
 * Whether the story's tests fail without its code: tried only if its base or its work has changed since the last try.
 */
export async function storyProof(
  context: RunContext,
  { header, checkpoint }: Ended,
  { story, checks, tree }: Claimed,
): Promise<StoryProof> {
  const { git, ledger, emit } = context;
  const range = await git.storyRange(story.safeId);
  const base = range?.base ?? checkpoint.head;
  const last = lastProof(ledger, story.id);
  // A proof by an earlier version records only the commit, which lacks a person's uncommitted files.
  const triedWith = last?.proof?.tree ?? last?.commit ?? null;
  if (last?.proof?.base === base && triedWith !== null && (await isSameWork(context, triedWith, tree)))
    return last.proof;
  emit(header.iteration, {
    type: 'notice',
    level: 'info',
    text: `Checking that the tests of ${story.safeId} fail without its code.`,
  });
  const result = await prove(context, { base, tree, checks });
  if (!context.signal.aborted) emit(header.iteration, { type: 'proof', story: story.id, proof: result });
  return { base, tree, result };
}

function lastProof(ledger: readonly LedgerLine[], story: string): LedgerIteration | undefined {
  return ledger.findLast(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.story === story && line.proof !== undefined,
  );
}

/** Whether only the loop's own files differ. False for a missing tree. */
async function isSameWork(
  { git, workspace }: Pick<RunContext, 'git' | 'workspace'>,
  before: string,
  tree: string,
): Promise<boolean> {
  const changes = await git.changes(before, tree).catch(() => null);
  return changes?.every(({ path }) => isLoopsOwn(workspace, path)) ?? false;
}

/** What is to be proven. */
interface ProofInput {
  /** The commit before the story's first. */
  readonly base: string;
  /** Tree of the current work. */
  readonly tree: string;
  /** The results of the loop's checks on that tree. */
  readonly checks: readonly CheckResult[];
}

/**
 * Tries whether the story's tests fail without its code: in the clean room the checks run at the story's base, then
 * with the story's tests added to it. If the run is stopped, the outcome means nothing.
 */
async function prove(context: RunContext, { base, tree, checks }: ProofInput): Promise<RedGreenProof> {
  const { git, workspace, room } = context;
  const changes = (await git.changes(base, tree)).filter(({ path }) => !isLoopsOwn(workspace, path));
  const files = proofFiles(changes);
  const commands = checksToTry(checks);
  const known = outcomeOfFiles(files, commands, await inlineTests(context, tree, files));
  if (known !== null) return known;
  const unknown = { tests: files.tests, command: null };
  if (room === null) return inconclusive('it needs the clean room, and the checks run in the work tree', unknown);
  return outcomeOfTries(files, await tryAll(context, room, { base, tree, files, commands }));
}

/** Source files that contain tests; considered only where no other test changed. */
async function inlineTests(
  { git }: Pick<RunContext, 'git'>,
  tree: string,
  { tests, code }: ProofFiles,
): Promise<readonly string[]> {
  if (tests.length > 0) return [];
  for (const path of code) {
    const bytes = await git.show(tree, path);
    if (bytes !== null && hasInlineTests(path, Buffer.from(bytes).toString('utf8'))) return [path];
  }
  return [];
}

interface Try {
  readonly base: string;
  readonly tree: string;
  readonly files: ProofFiles;
  readonly commands: readonly string[];
}

async function tryAll(context: RunContext, room: CleanRoom, what: Try): Promise<readonly Tried[]> {
  const { base, tree, files, commands } = what;
  const withTests = await context.git.treeFrom(base, { tree, paths: files.laid, gone: files.gone });
  const tried: Tried[] = [];
  for (const command of commands) {
    const before = await runThere(context, room, what, base, command);
    // A red base may be red only because the tests are missing; one that times out would do so again.
    const after = before === null || before.timedOut ? null : await runThere(context, room, what, withTests, command);
    // The run was stopped.
    if (before === null) break;
    const one = { command, base: before, withTests: after };
    if (tell(files, one) !== 'proven') {
      tried.push(one);
      continue;
    }
    const idle = await tryTestsSeparately(context, room, what, one);
    return [...tried, idle === null ? one : { ...one, idle }];
  }
  return tried;
}

/** Up to this many tests are tried one by one, if the check takes no longer than this. */
const MOST_APART = 4;
const FAST_MS = 15_000;

/**
 * Adds each of several tests to the base alone, to learn which of them the proof depends on.
 * @returns the tests that leave the check green; null where they are too many, or the check is too slow
 */
async function tryTestsSeparately(
  context: RunContext,
  room: CleanRoom,
  what: Try,
  one: Tried,
): Promise<readonly string[] | null> {
  const { base, tree, files } = what;
  const isFast = (one.withTests?.durationMs ?? 0) <= FAST_MS;
  if (files.tests.length < 2 || files.tests.length > MOST_APART || !isFast || !isGood(one.base)) return null;
  const idle: string[] = [];
  for (const path of files.tests) {
    const alone = await context.git.treeFrom(base, { tree, paths: [path], gone: [] });
    const result = await runThere(context, room, what, alone, one.command);
    if (result === null || result.timedOut) return null;
    if (!isRed(result)) idle.push(path);
  }
  return idle;
}

/** @returns null when the run was stopped */
async function runThere(
  context: RunContext,
  room: CleanRoom,
  { base }: Try,
  tree: string,
  command: string,
): Promise<CheckResult | null> {
  const judged = { tree: await room.treeOf(tree, loopFiles(context.workspace)), parent: base };
  // This trial is not a check of the story's work, so it emits no events.
  const quiet = { ...context, emit: () => {} };
  const [result] = await checkInRoom(quiet, room, 0, judged, { commands: [command], redBefore: new Set() });
  return context.signal.aborted ? null : (result ?? null);
}
