import { appendLedger, readLedger } from '../../adapters/workspace/ledger.ts';
import { LEDGER_VERSION } from '../../contracts/state.ts';
import { breakerOf } from '../../rules/safeguards/breaker.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { configIn, openProject } from '../open.ts';
import { printJson, printLines } from '../print.ts';
import { withRunLock } from '../with-run-lock.ts';

/** `ralph circuit reset`. @throws LockedError (exit 4) while a run is under way */
export async function resetCircuit(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { config } = await configIn(git, io);
  const { stateDir } = git.repo;
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
