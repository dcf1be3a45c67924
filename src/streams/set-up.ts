import type { Git } from '../adapters/git/port.ts';
import type { Workspace } from '../adapters/workspace/layout.ts';
import { copyToWorktree } from '../adapters/workspace/worktrees/worktree-copy.ts';
import type { Config } from '../contracts/config.ts';
import { ConfigError, UsageError } from '../contracts/errors.ts';
import { runInside } from '../loop/inside/inside.ts';
import type { OpenRun } from './open-run.ts';

/** Kept of what a setup command says. */
const SETUP_OUTPUT_BYTES = 64 * 1024;
/** Of that, lines that a person is shown. */
const SHOWN_LINES = 12;

export interface SetUpInput {
  /** Of the work tree that is to be set up. */
  readonly git: Git;
  readonly workspace: Workspace;
  readonly config: Config;
  /** Where `config` was read from, absolute; default: the work tree. */
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute: where the paths of `checks.copy` are copied from; null where there is no such place. */
  readonly from: string | null;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** What is going on, for people: one sentence. */
  readonly tell: (text: string) => void;
}

/**
 * Makes a new work tree usable: what the configuration copies there, and the commands that set it up, where the checks
 * will run. Interrupted or failed it is done again, whole, by the next.
 * @throws ConfigError for a path that cannot be copied; UsageError with what a command said that failed
 */
export async function setUpTree(input: SetUpInput): Promise<void> {
  const { git, config, from, file = git.repo.root } = input;
  const problem = from === null ? null : await copyToWorktree(from, git.repo.root, config.checks.copy);
  if (problem !== null) throw new ConfigError({ what: problem, where: file, mend: ['correct `checks.copy` there'] });
  if ((config.checks.setup ?? []).length > 0) await runSetup(input);
}

async function runSetup(input: SetUpInput): Promise<void> {
  const { git, workspace, config, file = git.repo.root, env, signal, openRun, tell } = input;
  const opened = await openRun({ git, workspace, config });
  const run = `set-up-${process.pid}`;
  const inside = { ...opened, git, config, env, signal, run };
  try {
    await opened.checksIsolation.prepare({ run, localPorts: [], onRefusal: () => {} });
    for (const command of config.checks.setup ?? []) {
      tell(`setting up: ${command}`);
      const result = await runInside(inside, {
        file: 'sh',
        args: ['-c', command],
        mounts: [],
        maxBytes: SETUP_OUTPUT_BYTES,
      });
      if (result.exitCode !== 0) throw setupFailed(command, file, result);
    }
  } finally {
    await Promise.all([opened.isolation.dispose(), opened.checksIsolation.dispose()]);
    await opened.close();
  }
}

function setupFailed(
  command: string,
  file: string,
  { exitCode, timedOut, stdout, stderr }: Awaited<ReturnType<typeof runInside>>,
): UsageError {
  const said = Buffer.concat([stdout, stderr]).toString('utf8').trim().split('\n').slice(-SHOWN_LINES);
  const end = timedOut ? 'it took longer than checks.timeout' : `exit ${exitCode ?? '-'}`;
  return new UsageError({
    what: `checks.setup failed: \`${command}\` (${end})`,
    where: file,
    ...(said.join('') === '' ? {} : { why: ['it said:', ...said].join('\n    ') }),
    mend: [`correct \`checks.setup\` in ${file}`, 'then start again: it is tried anew'],
  });
}
