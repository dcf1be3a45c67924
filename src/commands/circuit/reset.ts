import type { Git } from '../../adapters/git/port.ts';
import { appendLedger, readLedger } from '../../adapters/workspace/ledger.ts';
import { appendSteering } from '../../adapters/workspace/steering-file.ts';
import type { BreakerState } from '../../contracts/model.ts';
import { LEDGER_VERSION } from '../../contracts/state.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { liveRun } from '../live-run.ts';
import { configIn, openProject } from '../open.ts';
import { printJson, printLines } from '../print.ts';
import { withRunLock } from '../with-run-lock.ts';

/**
 * `ralph circuit reset`: done at once, or by the run that is under way, before its next iteration.
 * @throws LockedError (exit 4) while another command is at work here
 */
export async function resetCircuit(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { config } = await configIn(git, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null)
    return askRun(live.run, breakerOf(await readLedger(stateDir), config.circuit).state, git, flags, io);
  const was = await withRunLock(stateDir, 'ralph circuit reset', async () => {
    const { state } = breakerOf(await readLedger(stateDir), config.circuit);
    if (state !== 'closed')
      await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'circuit-reset', at: Date.now() });
    return state;
  });
  if (isOn(flags, 'json')) printJson(io, { state: 'closed', was });
  else if (was === 'closed') printLines(io, ['the circuit breaker is closed already; nothing to reset']);
  else printLines(io, [`the circuit breaker was ${was} and is closed now; go on with: ralph run`]);
  return 0;
}

/** A run holds the ledger as long as it lives: it has to write that down itself. */
async function askRun(run: string, was: BreakerState, git: Git, flags: RawFlags, io: Io): Promise<number> {
  if (was !== 'closed') await appendSteering(git.repo.stateDir, { kind: 'circuit-reset', at: Date.now() });
  if (isOn(flags, 'json')) printJson(io, { state: was, was, asked: was === 'closed' ? null : run });
  else if (was === 'closed') printLines(io, ['the circuit breaker is closed already; nothing to reset']);
  else printLines(io, [`the circuit breaker is ${was}; run ${run} closes it before its next iteration`]);
  return 0;
}
