import { UsageError } from '../../contracts/errors.ts';
import type { EventSink } from '../../contracts/events.ts';
import { ExitCode } from '../../contracts/model.ts';
import { childExit } from '../../platform/process/child-exit.ts';
import { processId } from '../../platform/process/process-facts.ts';
import { startChild } from '../../platform/process/start-child.ts';
import type { Io } from '../../surfaces/terminal/io.ts';

/** The monitor in front of a run's own log. */
export interface MonitorBeside {
  /** Prints nothing on standard output while the monitor has the screen. */
  readonly io: Io;
  /** The monitor comes up once the run has a name. */
  readonly see: EventSink;
  /** Takes the monitor away; resolves when the terminal is as before. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * For `ralph run --tui`: the monitor as a process of its own, so that nothing of it slows the run. Who leaves it sees
 * the run's log go on.
 * @throws UsageError where there is no terminal
 */
export function openMonitorBeside(root: string, io: Io): MonitorBeside {
  if (!io.isTTY || process.stdin.isTTY !== true) {
    throw new UsageError({ what: '--tui needs a terminal', mend: ['without it the run prints its log'] });
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
      // The keyboard was the monitor's: it tells by its exit code that Ctrl-C was pressed, and the run ends as at its own.
      if (exitCode === ExitCode.interrupted && !isClosed) process.emit('SIGINT');
    } catch (error) {
      io.stderr.write(`warning: there is no monitor: ${error instanceof Error ? error.message : String(error)}\n`);
    } finally {
      child = null;
      isHidden = false;
    }
  }

  return {
    io: {
      ...io,
      stdout: { write: (text) => (isHidden ? undefined : io.stdout.write(text)) },
      get columns() {
        return io.columns;
      },
    },
    see(event) {
      if (event.type !== 'run-start' || shown !== null) return;
      isHidden = true;
      shown = show(event.run);
    },
    async close() {
      isClosed = true;
      child?.kill('SIGTERM');
      await shown;
    },
  };
}
