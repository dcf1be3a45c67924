import { UsageError } from '../../contracts/errors.ts';
import { type CommandResult, runCommand, SpawnFailed } from '../../platform/process/run-command.ts';

/** A slow network is no reason to stop; a program that waits for an answer which nobody gives is. */
const TIMEOUT_MS = 60_000;
/** After which a person wants to know what is being waited for. */
const SLOW_MS = 5_000;

export interface GhOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input, for `--body-file -`. */
  readonly input?: string;
  /** Default: a minute. */
  readonly timeoutMs?: number;
  /** Told what is waited for, when it takes long. Must not throw. */
  readonly onSlow?: (text: string) => void;
}

/** How one command of `gh` ended. */
export interface GhResult {
  /** null when it was ended by a signal, or because it took too long. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs GitHub's own command line program, which has the person's login; nothing else here talks to GitHub. It cannot
 * ask questions. Any exit code is a result.
 * @throws UsageError ({@link ghUnavailable}) when the program is missing, or nobody is logged in
 */
async function tryGh(args: readonly string[], options: GhOptions): Promise<GhResult> {
  const result = await start(args, options);
  const stdout = result.stdout.toString('utf8');
  const stderr = result.timedOut
    ? `it took longer than ${(options.timeoutMs ?? TIMEOUT_MS) / 1000} s and was ended`
    : result.stderr.toString('utf8');
  // 4 is gh's own code for a missing login.
  if (result.exitCode === 4 || /\bgh auth login\b/.test(stderr)) {
    throw ghUnavailable('nobody is logged in to GitHub', [LOG_IN]);
  }
  return { exitCode: result.timedOut ? null : result.exitCode, stdout, stderr };
}

/**
 * The same where anything but success is an error.
 * @returns what it printed
 * @throws UsageError with what it said
 */
export async function runGh(args: readonly string[], options: GhOptions): Promise<string> {
  const result = await tryGh(args, options);
  if (result.exitCode === 0) return result.stdout;
  const said = lastLines(result.stderr);
  throw new UsageError({
    what: `gh ${args.slice(0, 2).join(' ')} failed`,
    where: `gh ${args.join(' ')}`,
    why: said || `it ended with ${result.exitCode ?? 'a signal'} and said nothing`,
    mend: ['type the same command yourself to see what it needs'],
  });
}

/**
 * Makes sure that somebody is logged in.
 * @throws UsageError with what gh says about the login, be it missing, invalid, or not to be tried for want of a network
 */
export async function needLogin(options: GhOptions): Promise<void> {
  const { exitCode, stdout, stderr } = await tryGh(['auth', 'status'], options);
  if (exitCode === 0) return;
  const said = lastLines(stderr) || lastLines(stdout) || 'gh says nothing about a login';
  throw ghUnavailable(said, [LOG_IN, 'see what it says: gh auth status']);
}

const LOG_IN = 'log in once: gh auth login';

/** The error for whoever cannot use `gh`. */
function ghUnavailable(why: string, mend: readonly string[]): UsageError {
  return new UsageError({ what: 'GitHub cannot be reached', why, mend });
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n');
}

async function start(args: readonly string[], options: GhOptions): Promise<CommandResult> {
  const { cwd, env, input, timeoutMs = TIMEOUT_MS, onSlow } = options;
  const command = `gh ${args.slice(0, 2).join(' ')}`;
  const slow = setTimeout(() => onSlow?.(`waiting for ${command}, at most ${timeoutMs / 1000} s`), SLOW_MS);
  try {
    return await runCommand('gh', args, {
      cwd,
      env: { ...env, GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: '', NO_COLOR: '1' },
      timeoutMs,
      ...(input === undefined ? {} : { input }),
    });
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error;
    const install = 'install gh, the command line program of GitHub: https://cli.github.com';
    throw ghUnavailable('the program gh is not there', [install, LOG_IN]);
  } finally {
    clearTimeout(slow);
  }
}
