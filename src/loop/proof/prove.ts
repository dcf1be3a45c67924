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
import { runCheck } from '../judge/run-check.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';
import { makePlace, type ProofPlace } from './place.ts';

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
 * Tries whether the story's tests fail without its code: the checks run at the story's base, then with the story's
 * tests laid over it. Both in a folder of its own in the system's temp folder; work tree, index and refs are not
 * touched. A stop of the run leaves an outcome that means nothing.
 */
export async function prove(context: RunContext, { base, tree, checks }: ProofInput): Promise<RedGreenProof> {
  const { git, workspace, checksIsolation } = context;
  const changes = (await git.changes(base, tree)).filter(({ path }) => !isLoopsOwn(workspace, path));
  const files = proofFiles(changes);
  const commands = checksToTry(checks);
  const known = outcomeOfFiles(files, commands, await inlineTests(context, tree, files));
  if (known !== null) return known;
  const unknown = { tests: files.tests, command: null };
  if (checksIsolation.name === 'sbx')
    return inconclusive('inside sbx no other folder than the project can be seen', unknown);
  const isWork = (path: string) => changes.some((change) => change.path === path || change.path.startsWith(`${path}/`));
  const place = await makePlace(context, base, isWork);
  if (typeof place === 'string') return inconclusive(place, unknown);
  try {
    const tried = await tryAll(context, place, { base, tree, files, commands });
    const submodules = (await git.show(base, '.gitmodules').catch(() => null)) !== null;
    return outcomeOfTries(files, tried, { leadsBack: place.leadsBack, submodules });
  } finally {
    await place.remove();
  }
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

async function tryAll(context: RunContext, place: ProofPlace, what: Try): Promise<readonly Tried[]> {
  const { tree, files, commands } = what;
  const bases: { readonly command: string; readonly base: CheckResult }[] = [];
  for (const command of commands) bases.push({ command, base: await runThere(context, place, command) });
  await place.lay(tree, files.laid, files.gone);
  const tried: Tried[] = [];
  for (const { command, base } of bases) {
    // A base that is red may be so only for want of the tests; one that takes too long would do so again.
    const withTests = base.timedOut ? null : await runThere(context, place, command);
    const one = { command, base, withTests };
    if (tell(files, one) !== 'proven') {
      tried.push(one);
      continue;
    }
    const idle = await tryApart(context, place, what, one);
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
  place: ProofPlace,
  { base, tree, files: { tests, added } }: Try,
  one: Tried,
): Promise<readonly string[] | null> {
  const isFast = (one.withTests?.durationMs ?? 0) <= FAST_MS;
  if (tests.length < 2 || tests.length > MOST_APART || !isFast || !isGood(one.base)) return null;
  const idle: string[] = [];
  for (const path of tests) {
    const others = tests.filter((other) => other !== path);
    const [fresh, changed] = [true, false].map((isNew) => others.filter((other) => added.includes(other) === isNew));
    await place.lay(base, changed ?? [], fresh ?? []);
    await place.lay(tree, [path], []);
    const result = await runThere(context, place, one.command);
    if (context.signal.aborted || result.timedOut) return null;
    if (!isRed(result)) idle.push(path);
  }
  return idle;
}

function runThere(context: RunContext, { dir }: ProofPlace, command: string): Promise<CheckResult> {
  return runCheck(context, command, { mounts: [{ from: dir, at: dir, writable: true }], cwd: dir });
}
