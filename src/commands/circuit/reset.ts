import { appendLedger, readLedger } from '../../adapters/workspace/records/ledger.ts';
import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import type { BreakerState } from '../../contracts/model.ts';
import { LEDGER_VERSION } from '../../contracts/state/ledger.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { liveRun } from '../shared/live-run.ts';
import { configIn, openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withRunLock } from '../shared/with-run-lock.ts';

/** `ralph circuit reset` */
export async function resetCircuit(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const closed = await closeCircuit(flags, io);
  const { was, run } = closed;
  const asked = was === 'closed' ? null : run;
  if (!isOn(flags, 'json')) printLines(io, [closedText(closed)]);
  else printJson(io, run === null ? { state: 'closed', was } : { state: was, was, asked });
  return 0;
}

export interface CircuitClosed {
  readonly was: BreakerState;
  /** The run that closes it before its next iteration; null when it is closed now. */
  readonly run: string | null;
}

/**
 * Closes the breaker: at once, or by the run that is under way, before its next iteration.
 * @throws LockedError (exit 4) while another command is at work here
 */
export async function closeCircuit(flags: RawFlags, io: Io): Promise<CircuitClosed> {
  const git = await openProject(flags, io);
  const { config } = await configIn(git, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) {
    // A run holds the ledger as long as it lives: it has to write that down itself.
    const { state } = breakerOf(await readLedger(stateDir), config.circuit);
    if (state !== 'closed') await appendSteering(stateDir, { kind: 'circuit-reset', at: Date.now() });
    return { was: state, run: live.run };
  }
  const was = await withRunLock(stateDir, 'ralph circuit reset', async () => {
    const { state } = breakerOf(await readLedger(stateDir), config.circuit);
    if (state !== 'closed')
      await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'circuit-reset', at: Date.now() });
    return state;
  });
  return { was, run: null };
}

/** In a sentence. */
export function closedText({ was, run }: CircuitClosed): string {
  if (was === 'closed') return 'the circuit breaker is closed already; nothing to reset';
  return run === null
    ? `the circuit breaker was ${was} and is closed now; go on with: ralph run`
    : `the circuit breaker is ${was}; run ${run} closes it before its next iteration`;
}
