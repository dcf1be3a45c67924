import { RalphError } from '../../contracts/errors.ts';
import { ExitCode } from '../../contracts/model.ts';

/** The person ended it (Ctrl-C, SIGTERM) before anything was merged. Exit 130 or 143. */
export class StoppedError extends RalphError {}

/** @throws StoppedError when the signal says so */
export function refuseWhenStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const code = signal.reason === 'terminated' ? ExitCode.terminated : ExitCode.interrupted;
  throw new StoppedError({ what: 'stopped: nothing was merged, and everything is as it was' }, code);
}
