import type { Git } from '../../adapters/git/port.ts';
import { readDashboardToken } from '../../adapters/workspace/records/dashboard-file.ts';
import type { Config } from '../../contracts/config.ts';
import type { EventSink } from '../../contracts/events.ts';
import { knowSecrets } from '../../platform/secrets.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RunFlags } from './flags.ts';
import type { MonitorBeside } from './monitor-beside-run.ts';
import { noticesOf } from './notify-run.ts';

/** What stands beside a run while it goes on: who shows it, who is told of it, what keeps the machine awake. */
export interface Company {
  /** Where the run's log goes: nowhere while the monitor has the screen. */
  readonly io: Io;
  readonly see: EventSink;
  /** Gives the screen back to the run. Safe to call twice. */
  clearScreen(): Promise<void>;
  /** Sends everybody away, the monitor included. */
  dismiss(): Promise<void>;
}

/**
 * Gathers what the flags and settings ask for; nothing else is loaded. Whoever cannot come is a warning: the run goes
 * on without.
 * @throws UsageError for a monitor where there is no terminal
 */
export async function gatherCompany(git: Git, config: Config, asked: RunFlags, io: Io): Promise<Company> {
  const { root } = git.repo;
  const monitor = asked.tui ? await monitorBeside(root, io) : null;
  const notices = await noticesOf(git, config, io);
  const closeDashboard = asked.dashboard ? await openDashboard(asked.dashboard.port, asked.json, root, io) : () => {};
  // Last: the dashboard may just have made its token.
  knowSecrets([(await readDashboardToken(io.env)) ?? '']);
  const letSleep = config.keepAwake ? await stayAwake(io) : async () => {};
  const clearScreen = async () => await monitor?.close();
  return {
    io: monitor?.io ?? io,
    see(event) {
      monitor?.see(event);
      notices.see(event);
    },
    clearScreen,
    async dismiss() {
      await clearScreen();
      await notices.settle();
      closeDashboard();
      await letSleep();
    },
  };
}

async function monitorBeside(root: string, io: Io): Promise<MonitorBeside> {
  const { openMonitorBeside } = await import('./monitor-beside-run.ts');
  return openMonitorBeside(root, io);
}

/**
 * Its address holds the token: it goes to the terminal and not among the events, which agents can read.
 * @returns what ends it
 */
async function openDashboard(port: number | null, json: boolean, root: string, io: Io): Promise<() => void> {
  const { startBesideRun } = await import('../dashboard/beside-run.ts');
  const beside = await startBesideRun(root, port, io.env);
  if ('complaint' in beside) {
    io.stderr.write(`warning: there is no dashboard: ${beside.complaint}\n`);
    return () => {};
  }
  (json ? io.stderr : io.stdout).write(`Dashboard: ${beside.address}\n`);
  return beside.close;
}

/** @returns what lets the machine sleep again */
export async function stayAwake(io: Io): Promise<() => Promise<void>> {
  const { keepAwake } = await import('../../adapters/keep-awake/keep-awake.ts');
  const sleepless = await keepAwake();
  if (sleepless.awake) return sleepless.release;
  io.stderr.write(`warning: the machine may go to sleep: ${sleepless.why}; ${sleepless.mend}\n`);
  return async () => {};
}
