import { openGit } from '../../adapters/git/index.ts';
import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { mainRoot, streamRoot } from '../../adapters/workspace/worktrees/places.ts';
import { copyToWorktree } from '../../adapters/workspace/worktrees/worktree-copy.ts';
import type { Config } from '../../contracts/config.ts';
import { ConfigError } from '../../contracts/errors.ts';
import type { EventBody } from '../../contracts/events.ts';
import type { CheckResult } from '../../contracts/model.ts';
import { checkCommands } from '../../loop/judge/check-commands.ts';
import { checkEach } from '../../loop/judge/checks.ts';
import { loopFiles } from '../../loop/keep/loop-files.ts';
import { pluginDesk } from '../../loop/plugins.ts';
import { type CheckPorts, checkInRoom, openRoom } from '../../loop/room/room.ts';
import { systemClock } from '../../platform/clock.ts';
import { remove } from '../../platform/files/files.ts';
import type { OpenedRun, OpenRun } from '../open-run.ts';
import { setUpTree } from '../set-up.ts';
import { hideWorktrees, workspaceOfStream } from '../tree.ts';
import { refuseWhenStopped } from './stopped.ts';

/** Its name, beside the streams; none of theirs begins with a dot. Merges queue, so that one is enough. */
const TRIAL = '.merging';

export interface TryOutInput {
  readonly git: Git;
  /** The merged commit. */
  readonly commit: string;
  /** What it is to become part of. */
  readonly base: string;
  /** Relative to the work tree. */
  readonly specDir: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** What is going on, for people: one sentence. */
  readonly tell: (text: string) => void;
}

export interface Tried {
  readonly checks: readonly CheckResult[];
  /** Of those that are red: commands that are red without the merge, too. */
  readonly redBefore: readonly string[];
}

/**
 * Runs the checks on a merged commit, in a work tree of its own that is gone afterwards, prepared as that of a stream
 * and isolated as the checks of a run.
 * @throws StoppedError when it was told to stop
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

/** Removes the work tree; also one that a killed merge left. */
export async function removeTrial(git: Git): Promise<void> {
  const path = streamRoot(await mainRoot(git), TRIAL);
  await git.removeWorktree(path);
  await remove(path);
}

async function checkThere(input: TryOutInput, there: Git): Promise<Tried> {
  const { git, config, env, signal, tell, openRun } = input;
  const { root } = there.repo;
  const workspace = await workspaceOfStream(root, input.specDir);
  const { document } = await loadOrThrow(workspace);
  const commands = checkCommands(config, document.backlog, null);
  if (commands.length === 0) return { checks: [], redBefore: [] };
  const opened = await openRun({ git: there, workspace, config });
  const run = `merge-${process.pid}`;
  const emit = (_: number, body: EventBody) => {
    if (body.type === 'check-start') tell(`checking the merged tree: ${body.command}`);
  };
  const plugins = pluginDesk({ config, root, env, emit, run });
  const ports: CheckPorts = { ...opened, git: there, config, env, signal, run, clock: systemClock, plugins, emit };
  try {
    await plugins.open();
    const problem = await copyToWorktree(git.repo.root, root, config.checks.copy);
    if (problem !== null) throw new ConfigError({ what: problem, where: root, mend: ['correct `checks.copy`'] });
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

/** Runs checks on what the work tree holds then: in its clean room, else there. */
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

/** Those that are red are tried without the merge: whoever reads of them wants to know whose they are. */
async function redWithout(
  ports: CheckPorts,
  { base, tell, signal }: TryOutInput,
  checks: readonly CheckResult[],
  run: Run,
): Promise<readonly string[]> {
  const red = checks.filter(({ ok }) => !ok).map(({ command }) => command);
  if (red.length === 0) return [];
  tell('looking whether they are red without it, too');
  await ports.git.resetTo(base);
  const before = await run(red, () => {});
  refuseWhenStopped(signal);
  return before.filter(({ ok }) => !ok).map(({ command }) => command);
}
