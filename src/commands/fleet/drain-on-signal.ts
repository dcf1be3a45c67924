import { ExitCode, type ExitCodeValue } from '../../contracts/model.ts';
import type { Engine } from '../../streams/engine/port.ts';

/** What signals made of a worker. */
interface SignalWatch {
  /** null as long as nobody insisted. */
  exitCode(): ExitCodeValue | null;
  end(): void;
}

/**
 * The first signal lets the worker finish its turns; the second ends them, their work kept on the remote; the third ends
 * the process at once, as a crash would, which others recover from.
 * @param tell a line for people; must not throw
 */
export function drainOnSignal(engine: Pick<Engine, 'drain' | 'close'>, tell: (text: string) => void): SignalWatch {
  let heard = 0;
  let insisted: ExitCodeValue | null = null;
  const on = (code: ExitCodeValue) => () => {
    heard += 1;
    if (heard > 2) process.exit(code);
    if (heard === 2) {
      insisted = code;
      tell('the turns under way are ended; their work is kept on the remote');
      void engine.close().catch(() => undefined);
      return;
    }
    tell('draining: the turns under way are finished, none is begun; once more ends them');
    void engine.drain().catch((error: unknown) => tell(`draining: ${error instanceof Error ? error.message : error}`));
  };
  const listeners = [
    ['SIGINT', on(ExitCode.interrupted)],
    ['SIGTERM', on(ExitCode.terminated)],
    ['SIGHUP', on(ExitCode.terminated)],
  ] as const;
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    exitCode: () => insisted,
    end() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
