import { dirname } from 'node:path';
import { openGit, openOwnTree, replaced } from '../adapters/git/index.ts';
import type { Git } from '../adapters/git/port.ts';
import type { ConfigFlags } from '../adapters/workspace/config/config.ts';
import { freeze, thaw } from '../adapters/workspace/config/frozen.ts';
import type { EventSink } from '../contracts/events.ts';
import type { TurnReport } from '../contracts/streams.ts';
import type { RunRequest } from '../loop/context.ts';
import { secureStart } from '../loop/keep/secure.ts';
import { runLoop } from '../loop/run.ts';
import { type LeftBudgets, reportOf } from '../loop/turn.ts';
import { systemClock } from '../platform/clock.ts';
import { realPath } from '../platform/files/files.ts';
import { version } from '../version.ts';
import type { OpenRun } from './open-run.ts';
import { workspaceOfStream } from './tree.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface TurnInput {
  /** The work tree, absolute: one that `prepareStream` or `prepareTree` made ready. */
  readonly root: string;
  /** Where its lock, run record and ledger are: no other work tree is worked in. Default: as git finds them. */
  readonly stateDir?: string;
  /** Of the spec folder, relative to it. */
  readonly specDir: string;
  /** Settings that the command line names. */
  readonly flags: ConfigFlags;
  /** What else was asked; default: the whole backlog. */
  readonly request?: Partial<Omit<RunRequest, 'turn'>>;
  readonly left: LeftBudgets;
  readonly openRun: OpenRun;
  /** The person's environment. */
  readonly env: Env;
  /** Its reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** Sees every event of the run; must not throw. */
  readonly onEvent: EventSink;
}

/**
 * One turn: takes the lock of the work tree, goes on with its open run or begins one, iterates once, and leaves the run
 * open unless that ended it. Files are read anew, because anybody may have worked there since the last turn; what steers the
 * run stays as it was when this process first took one of its turns.
 * @throws LockedError while another run works there; FileProblemsError, ConfigError, UnavailableError as a run does
 */
export async function takeTurn(input: TurnInput): Promise<TurnReport> {
  const { specDir, env, flags, openRun, signal, left } = input;
  const git = await openTree(input);
  await secureStart(git, systemClock);
  const workspace = await workspaceOfStream(git.repo.root, specDir);
  // What checks settings takes long to load, and is a chunk of its own.
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
    const report = reportOf(outcome);
    if (report.outcome.kind === 'done') thaw(git.repo.root);
    return report;
  } finally {
    await close();
  }
}

/** @throws GitRefusal where the folder is none, or not that work tree any more */
async function openTree({ root, stateDir, env }: TurnInput): Promise<Git> {
  if (stateDir !== undefined) return openOwnTree({ root, gitDir: dirname(stateDir) }, { env });
  const git = await openGit(root, { env });
  // Without its own git dir it would be a folder of the repository above.
  if (git.repo.root !== (await realPath(root))) throw replaced(root);
  return git;
}

const WHOLE_BACKLOG = { only: null, until: null, once: false, resetCircuit: false, limits: {} } as const;
