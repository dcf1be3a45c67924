import { dirname } from 'node:path';
import { type Git, openGit, openOwnTree, replaced } from '../adapters/git/index.ts';
import {
  appendSteering,
  type ConfigFlags,
  freeze,
  readRunRecord,
  runAtWork,
  type StreamTree,
  thaw,
} from '../adapters/workspace/index.ts';
import { type Env, type EventSink, LockedError, type TurnReport } from '../contracts/index.ts';
import { type RunRequest, reportOf, runLoop, secureStart } from '../loop/index.ts';
import { realPath, systemClock } from '../platform/index.ts';
import type { LeftBudgets } from '../rules/safeguards/index.ts';
import { version } from '../version.ts';
import type { OpenRun } from './set-up.ts';
import { workspaceOfStream } from './tree.ts';

interface TurnInput {
  readonly root: string;
  /** Holds its lock, run record and ledger: no other work tree is worked in. Default: as git finds it. */
  readonly stateDir?: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  readonly flags: ConfigFlags;
  /** Other request fields; default: the whole backlog. */
  readonly request?: Partial<Omit<RunRequest, 'turn'>>;
  readonly left: LeftBudgets;
  readonly openRun: OpenRun;
  readonly env: Env;
  /** Its reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** Sees every event of the run; must not throw. */
  readonly onEvent: EventSink;
}

/**
 * One turn: takes the lock of the work tree, continues its open run or begins one, iterates once, and leaves the run
 * open unless that ended it. Files are read again, because they may have changed since the last turn; the settings of
 * the run stay as they were when this process first took one of its turns.
 * @throws LockedError while another run works there; FileProblemsError, ConfigError, UnavailableError as a run does
 */
export async function takeTurn(input: TurnInput): Promise<TurnReport> {
  const git = await openTree(input);
  await secureStart(git, systemClock);
  try {
    return await turnIn(git, input);
  } finally {
    // Whether by its end or by an error: where no run is open, the next one reads the current files.
    const record = await readRunRecord(git.repo.stateDir).catch(() => null);
    if (record?.ended !== null) thaw(git.repo.root);
  }
}

async function turnIn(git: Git, input: TurnInput): Promise<TurnReport> {
  const { specDir, env, flags, openRun, signal, left } = input;
  const workspace = await workspaceOfStream(git.repo.root, specDir);
  // The settings' validation is slow to load, and a separate chunk.
  const { loadConfig } = await import('../adapters/workspace/config/config.ts');
  await freeze(git.repo.root, 'work tree');
  const { config } = await loadConfig({ root: git.repo.root, env, flags, runsCode: true, onUntrusted: 'refuse' });
  const { see, close, ...opened } = await openRun({ git, workspace, config });
  try {
    const outcome = await runLoop({
      ...opened,
      git,
      clock: systemClock,
      env,
      signal,
      config,
      left,
      request: { ...WHOLE_BACKLOG, ...input.request, turn: true },
      version,
      onEvent(event) {
        see(event);
        input.onEvent(event);
      },
    });
    return reportOf(outcome);
  } finally {
    await close();
  }
}

/** @throws GitRefusal when the folder is not a repository, or no longer that work tree */
async function openTree({ root, stateDir, env }: TurnInput): Promise<Git> {
  if (stateDir !== undefined) return openOwnTree({ root, gitDir: dirname(stateDir) }, { env });
  const git = await openGit(root, { env });
  // Without its own git dir it would be a folder of the repository above.
  if (git.repo.root !== (await realPath(root))) throw replaced(root);
  return git;
}

const WHOLE_BACKLOG = { only: null, until: null, once: false, resetCircuit: false, limits: {} } as const;

/**
 * `asked`: the process that works on it gets the request. `ended`: there was none, and its run was ended. `nothing`: no
 * run was open.
 */
export type Stopped = 'asked' | 'ended' | 'nothing';

interface StopInput {
  readonly tree: StreamTree;
  /** Do not wait for the active iteration; its work is kept in a rescue. */
  readonly now: boolean;
  readonly openRun: OpenRun;
  readonly env: Env;
  readonly flags: ConfigFlags;
}

/**
 * Ends the run of a stream gracefully: by a request to the process that works on it, else by a turn that reads the
 * request and does nothing else.
 */
export async function stopStream({ tree, now, openRun, env, flags }: StopInput): Promise<Stopped> {
  const { stateDir, root, file } = tree;
  const record = await readRunRecord(stateDir);
  const atWork = await runAtWork(stateDir);
  const run = atWork ?? (record?.ended === null ? record.run : null);
  if (run === null || file === null) return 'nothing';
  await appendSteering(stateDir, { kind: 'stop', run, now, at: Date.now() });
  if (atWork !== null) return 'asked';
  try {
    await takeTurn({
      root,
      stateDir,
      specDir: file.specDir,
      flags,
      left: { costUsd: null, tokens: null },
      openRun,
      env,
      signal: new AbortController().signal,
      onEvent: () => {},
    });
    return 'ended';
  } catch (error) {
    // Its supervisor came first: it gets the request.
    if (error instanceof LockedError) return 'asked';
    throw error;
  }
}
