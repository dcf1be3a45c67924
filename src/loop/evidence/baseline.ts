import { homedir } from 'node:os';
import { type Backlog, type CheckResult, RalphError } from '../../contracts/index.ts';
import { exists, findProgram, realPath } from '../../platform/index.ts';
import { isDone } from '../../rules/backlog/index.ts';
import type { HostTool } from '../../rules/isolation/index.ts';
import { checkCommands } from '../../rules/judge/index.ts';
import { type RunContext, saveRecord } from '../context.ts';
import { checkInTree, runChecks } from './checks.ts';
import { findChecks, withChecks } from './found-checks.ts';

/**
 * The checks of the tree at the start of the run: a red one is shown and blocks no story, a green one must stay green.
 * Where a clean room is known to work they run beside the first agent: `context.baseline` resolves when they are done.
 * @param beside whether the run may continue meanwhile
 */
export async function takeBaseline(context: RunContext, backlog: Backlog, beside: boolean): Promise<void> {
  const commands = checkCommands(context.config, backlog, null);
  if (commands.length === 0) return noticeUnchecked(context, backlog);
  if (context.record.baseline) return;
  const { room, config, gone } = context;
  const tree = await context.git.tree();
  const worked = room !== null && (await Promise.all(commands.map(room.book.wasGreen))).every(Boolean);
  const taken = checkBaseline(context, commands, tree);
  if (!beside || !worked || config.requireGreen || gone.length > 0) return taken;
  context.baseline = taken.then(() => {
    context.baseline = null;
  });
  // The code that awaits it receives the error.
  context.baseline.catch(() => undefined);
}

async function checkBaseline(context: RunContext, commands: readonly string[], tree: string): Promise<void> {
  const inRoom = await runChecks(context, 0, { commands, redBefore: new Set(), tree });
  await context.room?.accept(tree);
  const baseline = await recheckInWorkTree(context, inRoom);
  if (context.signal.aborted) return;
  context.emit(0, { type: 'baseline', checks: baseline });
  await saveRecord(context, { baseline });
  const red = baseline.filter((check) => !check.ok);
  await tellMissingTools(context, red);
  if (red.length === baseline.length)
    context.emit(0, {
      type: 'notice',
      level: 'warning',
      text: 'NO CHECK PASSES: nothing verifies that a story works before one has passed.',
      fix: '`ralph doctor --checks` shows what they need; --require-green does not start without passing checks',
    });
  if (red.length > 0) await refuseWithoutFolders(context, red);
  if (red.length > 0 && context.config.requireGreen) {
    throw new RalphError({
      what: `${red.length} of ${baseline.length} checks fail before the first iteration`,
      where: red.map((check) => check.command).join(', '),
      why: '--require-green requires passing checks at the start',
      fix: [
        'make them pass, then start again',
        'start without --require-green: a failing check then counts only after it has passed once',
      ],
    });
  }
}

/**
 * A check that passes in the work tree, but never did in the clean room, needs something that the room lacks. Then all
 * checks of this run run in the work tree, and everything reported about them says so.
 */
async function recheckInWorkTree(
  context: RunContext,
  results: readonly CheckResult[],
): Promise<readonly CheckResult[]> {
  const { room, emit, signal } = context;
  const red = results.filter(({ ok, known }) => !ok && !known).map(({ command }) => command);
  if (room === null || red.length === 0 || signal.aborted) return results;
  for (const command of red) if (await room.book.wasGreen(command)) return results;
  const inTree = await checkInTree({ ...context, emit: () => {} }, 0, { commands: red, redBefore: new Set() });
  const better = inTree.filter(({ ok }) => ok).map(({ command }) => command);
  if (better.length === 0 || signal.aborted) return results;
  context.room = null;
  const failed = results.find(({ notSetUp }) => notSetUp !== undefined)?.notSetUp;
  const why =
    failed === undefined
      ? `${better.join(', ')} fails there and passes in the work tree`
      : `\`${failed}\` failed there`;
  emit(0, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `CHECKED IN THE AGENT'S TREE: the clean room cannot be used, because ${why}. Ignored files can influence checks there.`,
    fix: 'name what is missing in `checks.setup` (commands) or `checks.copy` (ignored files); `ralph doctor --checks` shows the difference',
  });
  const others = commandsBut(results, red);
  return [...(await checkInTree(context, 0, { commands: others, redBefore: new Set() })), ...inTree].sort(
    (one, other) => orderIn(results, one) - orderIn(results, other),
  );
}

function commandsBut(results: readonly CheckResult[], red: readonly string[]): readonly string[] {
  return results.map(({ command }) => command).filter((command) => !red.includes(command));
}

function orderIn(results: readonly CheckResult[], { command }: CheckResult): number {
  return results.findIndex((result) => result.command === command);
}

/**
 * Checks that fail because an agent deleted what they need are not a baseline: work that breaks them would be accepted.
 * @throws RalphError
 */
async function refuseWithoutFolders(context: RunContext, red: readonly CheckResult[]): Promise<void> {
  const there = await Promise.all(context.gone.map((folder) => exists(`${context.git.repo.root}/${folder}`)));
  context.gone = context.gone.filter((_, at) => !there[at]);
  if (context.gone.length === 0) return;
  throw new RalphError({
    what: `${context.gone.join(', ')} has been missing since an agent of the last run, and checks fail`,
    where: red.map((check) => check.command).join(', '),
    why: 'git ignores it, so no checkpoint could restore it',
    fix: [
      'install or build it again, then `ralph run`',
      'if the checks fail for another reason: make an empty folder there',
    ],
  });
}

/** At every start: only a reviewer's verdict will show that these stories work. */
function noticeUnchecked({ emit, request }: Pick<RunContext, 'emit' | 'request'>, { stories }: Backlog): void {
  if (request.change?.reviewOnly) return;
  const left = stories.filter((story) => !isDone(story));
  const unchecked = left.filter(({ verifyCommands = [] }) => verifyCommands.length === 0);
  if (left.length > 0 && unchecked.length === 0) return;
  const which = unchecked.length === left.length ? '' : ` for ${unchecked.map(({ safeId }) => safeId).join(', ')}`;
  emit(0, {
    type: 'notice',
    level: 'warning',
    text: `NO CHECKS${which}: nothing verifies that a story works. Its receipt will say "unverified".`,
    fix: `set verifyCommands in the backlog or in the configuration, e.g. ["npm test"]`,
  });
}

/** For a check that is red only because a program of this machine is missing inside: names it, and how to let it in. */
async function tellMissingTools(
  { isolation, env, emit }: Pick<RunContext, 'isolation' | 'env' | 'emit'>,
  red: readonly CheckResult[],
): Promise<void> {
  if (isolation.name === 'none' || red.length === 0) return;
  const { missingTools, toolchainNotice } = await import('../../rules/isolation/missing-tools.ts');
  const tools: HostTool[] = [];
  for (const name of missingTools(red)) {
    const path = findProgram(name, env['PATH']);
    if (path !== null) tools.push({ name, path, target: await realPath(path) });
  }
  const notice = toolchainNotice(tools, { isolation: isolation.name, home: env['HOME'] ?? homedir() });
  if (notice) emit(0, { type: 'notice', level: 'warning', ...notice });
}

/**
 * Uses the project's own checks for the whole run, when no setting names any. They are looked for once, and finding
 * none is remembered too: what an agent does to the project's files changes neither their number nor their names.
 */
export async function adoptFoundChecks(context: RunContext, backlog: Backlog): Promise<void> {
  const { git, record, config, request } = context;
  if (request.change?.reviewOnly) return;
  const found = record.foundChecks ?? (await findChecks(git.repo.root, config, backlog));
  if (found === null) return;
  if (record.foundChecks === undefined) {
    context.config = withChecks(config, found);
    await saveRecord(context, { foundChecks: found });
  }
  if (found.length === 0) return;
  context.emit(0, {
    type: 'notice',
    level: 'info',
    text: `checks: ${found.map((command) => `\`${command}\``).join(', ')} (found in the project files)`,
    fix: '`verifyCommands`, in the backlog or in the configuration, overrides them',
  });
}
