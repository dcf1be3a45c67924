import { defaultConfig } from '../../adapters/workspace/index.ts';
import type { LedgerLine, RunLimits } from '../../contracts/index.ts';
import type { RunContext } from '../../loop/index.ts';
import { systemClock } from '../../platform/index.ts';
import { limitsOf } from '../../rules/steering/index.ts';

/** As much of a run as its gate looks at. */
export function anyContext(ledger: readonly LedgerLine[], limits: Partial<RunLimits>): RunContext {
  const config = defaultConfig({});
  const context = {
    config,
    ledger,
    run: 'run',
    current: null,
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
