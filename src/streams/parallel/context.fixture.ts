import { defaultConfig } from '../../adapters/workspace/config/config-checked.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import type { RunContext } from '../../loop/context.ts';
import { systemClock } from '../../platform/clock.ts';
import { limitsOf } from '../../rules/steering/steering.ts';

/** As much of a run as its gate looks at. */
export function anyContext(ledger: readonly LedgerLine[], limits: Partial<RunLimits>): RunContext {
  const config = defaultConfig({});
  const context = {
    config,
    ledger,
    run: 'run',
    clock: systemClock,
    agents: [{ name: 'scripted' }],
    record: { startedAt: systemClock.now(), waitedMs: 0, waiting: null },
    steering: {
      now: () => ({ paused: false, stop: null }),
      limits: () => ({ ...limitsOf(config), ...limits }),
    },
  };
  return context as unknown as RunContext;
}
