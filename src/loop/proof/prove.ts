import type { CheckResult, RedGreenProof } from '../../contracts/model.ts';
import { hasInlineTests, type ProofFiles, proofFiles } from '../../rules/proof/files.ts';
import {
  checksToTry,
  inconclusive,
  isGood,
  isRed,
  outcomeOfFiles,
  outcomeOfTries,
  type Tried,
  tell,
} from '../../rules/proof/outcome.ts';
import type { RunContext } from '../context.ts';
import { isLoopsOwn, loopFiles } from '../keep/loop-files.ts';
import { type CleanRoom, checkInRoom } from '../room/room.ts';

/** What is to be proven. */
export interface ProofInput {
  /** The commit before the story's first. */
  readonly base: string;
  /** Tree of the work as it is now. */
  readonly tree: string;
  /** The loop's own run of the checks on it. */
  readonly checks: readonly CheckResult[];
}

/**
 * Tries whether the story's tests fail without its code: in the clean room the checks run at the story's base, then with
 * the story's tests laid over it. A stop of the run leaves an outcome that means nothing.
 */
export async function prove(context: RunContext, { base, tree, checks }: ProofInput): Promise<RedGreenProof> {
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

/** Files of code that hold tests; looked at only where no other test changed. */
async function inlineTests({ git }: RunContext, tree: string, { tests, code }: ProofFiles): Promise<readonly string[]> {
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
    // A base that is red may be so only for want of the tests; one that takes too long would do so again.
    const after = before === null || before.timedOut ? null : await runThere(context, room, what, withTests, command);
    // A stop of the run.
    if (before === null) break;
    const one = { command, base: before, withTests: after };
    if (tell(files, one) !== 'proven') {
      tried.push(one);
      continue;
    }
    const idle = await tryApart(context, room, what, one);
    return [...tried, idle === null ? one : { ...one, idle }];
  }
  return tried;
}

/** So many tests are tried one by one, where the check takes no longer than this. */
const MOST_APART = 4;
const FAST_MS = 15_000;

/**
 * Lays each of several tests over the base alone, to know which of them the proof rests on.
 * @returns those that leave the check green; null where they are too many, or the check is too slow
 */
async function tryApart(
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
  // What is tried is no check of the story's work.
  const quiet = { ...context, emit: () => {} };
  const [result] = await checkInRoom(quiet, room, 0, judged, { commands: [command], redBefore: new Set() });
  return context.signal.aborted ? null : (result ?? null);
}
