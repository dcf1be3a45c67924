import { type Git, openGit } from '../../adapters/git/index.ts';
import { copyToWorktree, loadOrThrow, mainRoot, streamRoot, type Workspace } from '../../adapters/workspace/index.ts';
import { type Backlog, type CheckResult, type Config, ConfigError, type EventBody } from '../../contracts/index.ts';
import { type CheckPorts, checkEach, checkInRoom, loopFiles, openRoom, runPlugins } from '../../loop/index.ts';
import { remove, systemClock } from '../../platform/index.ts';
import { checkCommands } from '../../rules/judge/index.ts';
import { type OpenedRun, type OpenRun, setUpTree } from '../set-up.ts';
import { hideWorktrees } from '../tree.ts';
import { refuseWhenStopped } from './queue.ts';

/** Its name, beside the streams; no stream name begins with a dot. Merges queue, so one is enough. */
const TRIAL = '.merging';

interface TryOutInput {
  readonly git: Git;
  readonly commit: string;
  /** The commit that it is merged into. */
  readonly base: string;
  /** Of the stream, in any work tree. */
  readonly workspace: Workspace;
  /** Names the checks; null: the merged tree's own backlog. */
  readonly backlog: Backlog | null;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** Reports progress to people: one sentence. */
  readonly tell: (text: string) => void;
}

interface Tried {
  readonly checks: readonly CheckResult[];
  /** Commands among the failing ones that also fail without the merge. */
  readonly redBefore: readonly string[];
}

/**
 * Runs the checks on a merged commit, in a temporary work tree, prepared like that of a stream and isolated like the
 * checks of a run.
 * @throws StoppedError when it was stopped
 */
export async function tryOut(input: TryOutInput): Promise<Tried> {
  const { git, commit, env } = input;
  const main = await mainRoot(git);
  await hideWorktrees(main);
  const path = streamRoot(main, TRIAL);
  await git.addWorktree({ path, branch: null, from: commit });
  try {
    return await checkThere(input, await openGit(path, { env }));
  } finally {
    await removeTrial(git);
  }
}

/** Removes the work tree, also one left by a killed merge. */
export async function removeTrial(git: Git): Promise<void> {
  const path = streamRoot(await mainRoot(git), TRIAL);
  await git.removeWorktree(path);
  await remove(path);
}

async function checkThere(input: TryOutInput, there: Git): Promise<Tried> {
  const { git, config, env, signal, tell, openRun } = input;
  const { root } = there.repo;
  const workspace = { ...input.workspace, root };
  const backlog = input.backlog ?? (await loadOrThrow(workspace)).document.backlog;
  const commands = checkCommands(config, backlog, null);
  if (commands.length === 0) return { checks: [], redBefore: [] };
  const opened = await openRun({ git: there, workspace, config });
  const run = `merge-${process.pid}`;
  const emit = (_: number, body: EventBody) => {
    if (body.type === 'check-start') tell(`checking the merged tree: ${body.command}`);
  };
  const plugins = runPlugins({ config, root, env, emit, run });
  const ports: CheckPorts = { ...opened, git: there, config, env, signal, run, clock: systemClock, plugins, emit };
  try {
    await plugins.open();
    const problem = await copyToWorktree(git.repo.root, root, config.checks.copy);
    if (problem !== null) throw new ConfigError({ what: problem, where: root, fix: ['correct `checks.copy`'] });
    const check = await checker(input, opened, ports, workspace);
    try {
      const checks = await check.run(commands, emit);
      refuseWhenStopped(signal);
      return { checks, redBefore: await redWithout(ports, input, checks, check.run) };
    } finally {
      await check.close();
    }
  } finally {
    await plugins.close();
    await opened.close();
  }
}

type Run = (commands: readonly string[], emit: CheckPorts['emit']) => Promise<readonly CheckResult[]>;

/** Runs checks on the current content of the work tree: in its clean room, else there. */
async function checker(
  input: TryOutInput,
  opened: OpenedRun,
  ports: CheckPorts,
  workspace: Workspace,
): Promise<{ readonly run: Run; close(): Promise<void> }> {
  const { git, run } = ports;
  const redBefore = new Set<string>();
  if (opened.room) {
    const room = await openRoom(opened.room, { ...ports, onRefusal: () => {} });
    return {
      run: async (commands, emit) => {
        const tree = await room.treeOf(await git.tree(), loopFiles(workspace));
        const judged = { tree, parent: await git.resolve('HEAD') };
        return checkInRoom({ ...ports, emit }, room, 0, judged, { commands, redBefore });
      },
      close: () => room.close(),
    };
  }
  await setUpTree({ ...input, git, workspace, from: null });
  await opened.checksIsolation.prepare({ run, localPorts: [], onRefusal: () => {} });
  return {
    run: (commands, emit) => checkEach({ ...ports, emit }, 0, { commands, redBefore }),
    close: () => opened.checksIsolation.dispose(),
  };
}

/** Failing checks are tried without the merge: the reader wants to know which side they come from. */
async function redWithout(
  ports: CheckPorts,
  { base, tell, signal }: TryOutInput,
  checks: readonly CheckResult[],
  run: Run,
): Promise<readonly string[]> {
  const red = checks.filter(({ ok }) => !ok).map(({ command }) => command);
  if (red.length === 0) return [];
  tell('checking whether they fail without it, too');
  await ports.git.resetTo(base);
  const before = await run(red, () => {});
  refuseWhenStopped(signal);
  return before.filter(({ ok }) => !ok).map(({ command }) => command);
}
