import { basename } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import { projectAt, readDashboardToken, redactedJson } from '../../adapters/workspace/index.ts';
import { type Config, ExitCode, messageOf, type RalphEvent, UsageError } from '../../contracts/index.ts';
import type { RunPorts } from '../../loop/index.ts';
import {
  childExit,
  knowSecrets,
  letGo,
  type PipedChild,
  processId,
  startChild,
  startPiped,
} from '../../platform/index.ts';
import { counted, oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { onSignals } from '../shared/with-signals.ts';
import type { RunFlags } from './flags.ts';

/**
 * What accompanies a run: the monitor, the dashboard, the notices, and what keeps the machine awake. Starts what the
 * flags and settings ask for; loads nothing else. A part that cannot start is a warning: the run
 * continues without it.
 * @throws UsageError for a monitor where there is no terminal
 */
export async function gatherCompany(
  place: Pick<RunPorts, 'git' | 'workspace'>,
  config: Config,
  asked: RunFlags,
  io: Io,
) {
  const { root } = place.git.repo;
  const monitor = asked.tui ? openMonitorBeside(root, io) : null;
  const notices = await noticesOf(place, config, io);
  const closeDashboard = asked.dashboard ? await openDashboard(asked.dashboard.port, asked.json, root, io) : () => {};
  // Last: the dashboard may just have created its token.
  knowSecrets([(await readDashboardToken(io.env)) ?? '']);
  const letSleep = config.keepAwake ? await stayAwake(io) : async () => {};
  const clearScreen = async () => await monitor?.close();
  return {
    /** Where the run's log goes; it is suppressed while the monitor has the screen. */
    io: monitor?.io ?? io,
    see(event: RalphEvent) {
      monitor?.see(event);
      notices.see(event);
    },
    /** Gives the screen back to the run. Safe to call twice. */
    clearScreen,
    async dismiss() {
      await clearScreen();
      await notices.settle();
      closeDashboard();
      await letSleep();
    },
  };
}

/**
 * Starts `ralph dashboard` as a separate process, which ends with this one, even after kill -9: its standard input ends.
 * Its address holds the token: it goes to the terminal and not among the events, which agents can read.
 * @param port null: the configured port
 * @returns a function that ends it
 */
async function openDashboard(port: number | null, json: boolean, root: string, io: Io): Promise<() => void> {
  const args = [process.argv[1] ?? '', 'dashboard', '--beside', '--project-dir', root];
  if (port !== null) args.push('--port', String(port));
  try {
    const child = await startPiped(process.execPath, args, { cwd: root, env: io.env });
    (json ? io.stderr : io.stdout).write(`Dashboard: ${await addressOf(child)}\n`);
    return () => child.stdin.destroy();
  } catch (error) {
    io.stderr.write(`warning: the dashboard could not be started: ${messageOf(error)}\n`);
    return () => {};
  }
}

/** @returns a function that lets the machine sleep again */
export async function stayAwake(io: Io): Promise<() => Promise<void>> {
  const { keepAwake } = await import('../../adapters/keep-awake/keep-awake.ts');
  const sleepless = await keepAwake();
  if (sleepless.awake) return sleepless.release;
  io.stderr.write(`warning: the machine may go to sleep: ${sleepless.why}; ${sleepless.fix}\n`);
  return async () => {};
}

/**
 * For `ralph run --tui`: the monitor as a separate process, so that it does not slow the run. A user who leaves it sees
 * the run's log continue.
 * @throws UsageError where there is no terminal
 */
function openMonitorBeside(root: string, io: Io) {
  if (!io.isTTY || process.stdin.isTTY !== true) {
    throw new UsageError({ what: '--tui needs a terminal', fix: ['without it the run prints its log'] });
  }
  let child: Awaited<ReturnType<typeof startChild>> | null = null;
  let isHidden = false;
  let isClosed = false;
  let shown: Promise<void> | null = null;

  async function show(run: string): Promise<void> {
    const program = process.argv[1] ?? '';
    const args = [program, 'monitor', '--run', run, '--project-dir', root, '--beside', String(processId())];
    try {
      child = await startChild(process.execPath, args, { cwd: root, env: { ...io.env }, stdio: 'inherit' });
      const exited = childExit(child);
      if (isClosed) child.kill('SIGTERM');
      const { exitCode } = await exited;
      // The monitor had the keyboard: its exit code reports that Ctrl-C was pressed, and the run ends as if pressed
      // here.
      if (exitCode === ExitCode.interrupted && !isClosed) process.emit('SIGINT');
    } catch (error) {
      io.stderr.write(`warning: the monitor could not be started: ${messageOf(error)}\n`);
    } finally {
      child = null;
      isHidden = false;
    }
  }

  return {
    /** Prints nothing on standard output while the monitor has the screen. */
    io: {
      ...io,
      stdout: { write: (text: string) => (isHidden ? undefined : io.stdout.write(text)) },
      get columns() {
        return io.columns;
      },
    },
    /** Starts the monitor once the run has a name. */
    see(event: RalphEvent) {
      if (event.type !== 'run-start' || shown !== null) return;
      isHidden = true;
      shown = show(event.run);
    },
    /** Resolves when the terminal is restored. Safe to call twice. */
    async close() {
      isClosed = true;
      child?.kill('SIGTERM');
      await shown;
    },
  };
}

const PATIENCE_MS = 15_000;

/** The address from its first line; after that it no longer keeps this process alive. Rejects saying why there is none. */
function addressOf(child: PipedChild): Promise<string> {
  let said = '';
  let complaint = '';
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      letGo(child);
    };
    const fail = (why: string) => {
      over();
      reject(new Error(why));
    };
    const timer = setTimeout(() => {
      child.stdin.destroy();
      fail('it does not start');
    }, PATIENCE_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 1_000);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.includes('\n')) return;
      said += text;
      const [address = '', rest] = said.split('\n', 2);
      if (rest === undefined) return;
      over();
      resolve(address);
    });
    child.once('close', () => fail(complaint.replace(/^Error: /, '').split('\n')[0] || 'it ended at once'));
  });
}

/** How long a finished run waits for its receivers to take the remaining notices, milliseconds. */
const LAST_WORDS_MS = 5_000;
/** A shorter wait is not reported. */
const UNSEEN_WAIT_MS = 300;

/** What tells people outside of a run's events: by notices, and by comments on issues. */
export async function noticesOf(place: Pick<RunPorts, 'git' | 'workspace'>, config: Config, io: Io) {
  const notices = await noticesFor(place.git, config, io);
  if (!config.issues.comment) return notices;
  const { commentsOf } = await import('./comment-run.ts');
  const comments = commentsOf(place, io);
  return {
    see(event: RalphEvent) {
      notices.see(event);
      comments.see(event);
    },
    async settle() {
      await Promise.all([notices.settle(), comments.settle()]);
    },
  };
}

/** Where none are configured, nothing that sends them is loaded. */
async function noticesFor({ repo }: Git, { notify }: Config, io: Io) {
  const { webhooks, desktop, bell } = notify;
  if (webhooks.length === 0 && desktop === 'never' && bell === 'never')
    return { see: () => {}, settle: async () => {} };
  // Variables with any name may hold them.
  knowSecrets(webhooks.flatMap(({ secretEnv, urlEnv }) => [secretEnv, urlEnv]).map((name) => io.env[name ?? ''] ?? ''));
  const { openNotifier } = await import('../../adapters/notify/open.ts');
  const warn = (text: string) => void io.stderr.write(`warning: ${oneLine(text)}\n`);
  const notifier = openNotifier({
    settings: notify,
    project: projectName(repo.root),
    projectId: projectAt({ root: repo.root, repository: repo.commonDir }).id,
    stateDir: repo.stateDir,
    env: io.env,
    toJson: redactedJson,
    ring: io.isTTY ? () => void io.stdout.write('\u0007') : null,
    warn,
  });
  const leaving = leaveOnSignal();
  return {
    see(event: RalphEvent) {
      notifier.see(event);
      // The loop still handles signals then, so that there is no moment in which they go unhandled.
      if (event.type === 'run-end') leaving.listen();
    },
    /**
     * Waits briefly for pending notices, and reports those that did not arrive; a signal ends the wait, and the rest is
     * kept. Never rejects.
     */
    async settle() {
      leaving.listen();
      const saying = setTimeout(() => {
        const waiting = notifier.waiting();
        const text = `waiting for ${counted(waiting, 'webhook')}, up to ${LAST_WORDS_MS / 1000} s`;
        if (io.isTTY && waiting > 0) io.stderr.write(`${text}\n`);
      }, UNSEEN_WAIT_MS);
      const left = await notifier.settle(LAST_WORDS_MS, leaving.signal);
      clearTimeout(saying);
      for (const text of left) warn(text);
      leaving.end();
    },
  };
}

/**
 * Handles signals after the end of a run: its exit code is decided, so the first one only ends the wait. The second one
 * ends the process.
 */
function leaveOnSignal() {
  const leave = new AbortController();
  let end = () => {};
  return {
    signal: leave.signal,
    end: () => end(),
    /** Safe to call twice. */
    listen() {
      end();
      end = onSignals((_, code) => {
        if (leave.signal.aborted) process.exit(code);
        leave.abort();
      });
    },
  };
}

export function projectName(root: string): string {
  return basename(root) || 'project';
}
