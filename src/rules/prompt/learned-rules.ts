import type { LedgerLine } from '../../contracts/state/ledger.ts';

/** How often a cause must come back before it becomes a rule, and how many rules a prompt carries at most. */
const REPEATED = 2;
const MOST = 5;

/**
 * Extra rules from what went wrong repeatedly in this workspace: checks that iterations left red, and rules of the
 * backlog that were broken. Most frequent first.
 */
export function learnedRules(ledger: readonly LedgerLine[]): string[] {
  const causes = new Map<string, number>();
  for (const line of ledger) {
    if (line.kind !== 'iteration') continue;
    const red = line.verdict === 'rejected' ? (line.failure?.checks ?? []).filter((check) => !check.ok) : [];
    const rules = [
      ...red.map(({ command }) => `Iterations were rejected because \`${command}\` failed: run it before you finish.`),
      ...line.violations.map(
        ({ rule, field }) =>
          `The rule ${rule}${field === undefined ? '' : ` (${field})`} was broken before: such a change is undone.`,
      ),
    ];
    for (const rule of new Set(rules)) causes.set(rule, (causes.get(rule) ?? 0) + 1);
  }
  return [...causes]
    .filter(([, times]) => times >= REPEATED)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([rule, times]) => `${rule} (${times} times so far)`);
}
