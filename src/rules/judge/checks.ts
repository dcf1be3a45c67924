import type { Backlog, CheckResult, Config, LedgerLine, RunRecord, Story } from '../../contracts/index.ts';
import { growing } from '../safeguards/index.ts';

/** The commands that judge a story: the configuration's, the backlog's, then the story's; each once. */
export function checkCommands(config: Config, backlog: Backlog, story: Story | null): readonly string[] {
  return [...new Set([...config.verifyCommands, ...backlog.verifyCommands, ...(story?.verifyCommands ?? [])])];
}

/**
 * Commands that must stay green: green at the baseline, or in any accepted or advanced iteration of this run. A command
 * that was red and never green is not included: it is shown and blocks nothing.
 */
export function greenCommands(record: RunRecord, ledger: readonly LedgerLine[]): ReadonlySet<string> {
  const green = (record.baseline ?? []).filter((check) => check.ok).map((check) => check.command);
  return new Set([...green, ...(greenInRuns(ledger).get(record.run) ?? [])]);
}

const greenInRuns = growing(
  () => new Map<string, Set<string>>(),
  (runs, line) => {
    if (line.kind !== 'iteration' || (line.verdict !== 'accepted' && line.verdict !== 'advanced')) return;
    const green = runs.get(line.run) ?? new Set();
    for (const check of line.checks) if (check.ok) green.add(check.command);
    runs.set(line.run, green);
  },
);

/** Commands that were red before the first iteration and have not been green since. */
export function redAtBaseline(record: RunRecord, green: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    (record.baseline ?? []).filter((check) => !check.ok && !green.has(check.command)).map((check) => check.command),
  );
}

/** Red checks whose failure counts. */
export interface JudgedChecks {
  /** Red checks that were green before. */
  readonly regressions: readonly CheckResult[];
  /** Red checks of the story itself. */
  readonly ownFailures: readonly CheckResult[];
  /** Both, each once. */
  readonly failing: readonly CheckResult[];
}

export function judgedChecks(
  { record, ledger }: { readonly record: RunRecord; readonly ledger: readonly LedgerLine[] },
  story: Story,
  checks: readonly CheckResult[],
): JudgedChecks {
  const green = greenCommands(record, ledger);
  const own = new Set(story.verifyCommands ?? []);
  const red = checks.filter((check) => !check.ok);
  const regressions = red.filter((check) => green.has(check.command));
  const ownFailures = red.filter((check) => own.has(check.command));
  return { regressions, ownFailures, failing: [...new Set([...regressions, ...ownFailures])] };
}
