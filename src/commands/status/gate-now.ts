import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { readRunRecord } from '../../adapters/workspace/records/run-record.ts';
import { readSteering } from '../../adapters/workspace/records/steering-file.ts';
import type { Config } from '../../contracts/config.ts';
import { LEDGER_VERSION } from '../../contracts/state/ledger.ts';
import type { RunPorts, RunRequest } from '../../loop/context.ts';
import { livedMs } from '../../rules/safeguards/alive.ts';
import type { Gate } from '../../rules/safeguards/api.ts';
import { gate } from '../../rules/safeguards/gate.ts';
import { effectiveLimits, limitsOf, steeringOf } from '../../rules/steering/steering.ts';

/** What the gate would say to a run that starts now: a new one, or the one that was cut off. Writes nothing. */
export async function gateNow(
  { git, clock }: Pick<RunPorts, 'git' | 'clock'>,
  config: Config,
  { resetCircuit, limits }: Pick<RunRequest, 'resetCircuit' | 'limits'>,
): Promise<Gate> {
  const { stateDir } = git.repo;
  const [written, record, entries] = await Promise.all([
    readLedger(stateDir),
    readRunRecord(stateDir),
    readSteering(stateDir),
  ]);
  const now = clock.now();
  const resumed = record?.ended === null ? record : null;
  const run = resumed?.run ?? '';
  const steering = steeringOf(entries, written, run);
  const closes = resetCircuit || steering.circuitReset !== null;
  const ledger = closes ? [...written, { version: LEDGER_VERSION, kind: 'circuit-reset', at: now } as const] : written;
  return gate({
    ledger,
    run,
    now,
    limits: { ...effectiveLimits(resumed?.limits ?? limitsOf(config), steering), ...(resumed ? limits : {}) },
    circuit: config.circuit,
    agents: config.agent,
    onUsageLimit: config.onUsageLimit,
    maxWaitMs: config.transient.maxWaitMs,
    aliveMs: resumed ? livedMs(resumed, ledger, null) : 0,
    paused: steering.paused,
    stopAsked: steering.stop !== null,
  });
}
