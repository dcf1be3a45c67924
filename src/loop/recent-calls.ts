import type { RunContext } from './context.ts';

const HOUR = 3_600_000;

/** Starts of agent processes by other runs of the workspace within the last hour, epoch ms: they fill the limit too. */
export function callsBefore({ ledger, run, clock }: RunContext): readonly number[] {
  const since = clock.now() - HOUR;
  const calls = ledger.flatMap((line) =>
    line.kind === 'iteration' && line.run !== run ? (line.calls ?? [line.startedAt]) : [],
  );
  return calls.filter((at) => at > since);
}
