import type { CheckView, RunView } from '../../../rules/view/model.ts';
import { grouped } from '../grouped.ts';
import type { CheckUse, Report, TestOutcome } from '../model.ts';

/*
 * Figures of what a view keeps only the last of: checks, test runs, denials, notices.
 */

/** Each check's runs, those that failed most often first. */
export function checksOf(views: readonly RunView[]): Report['checks'] {
  const all = views.flatMap(({ checks }) => checks.last);
  return {
    count: views.reduce((sum, { checks }) => sum + checks.count, 0),
    commands: [...grouped(all, ({ command }) => command)]
      .map(([command, own]) => checkUse(command, own))
      .toSorted((a, b) => b.red - a.red || b.runs - a.runs),
  };
}

function checkUse(command: string, own: readonly CheckView[]): CheckUse {
  return {
    command,
    runs: own.length,
    red: own.filter(({ ok }) => !ok).length,
    meanMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0) / own.length,
  };
}

/** How the test runs ended that were seen inside agents. */
export function testsOf(views: readonly RunView[]): Report['tests'] {
  const outcomes: Record<TestOutcome, number> = { pass: 0, fail: 0, error: 0, 'no-tests': 0 };
  for (const { outcome } of views.flatMap(({ tests }) => tests.last))
    if (Object.hasOwn(outcomes, outcome)) outcomes[outcome] += 1;
  return { count: views.reduce((sum, { tests }) => sum + tests.count, 0), outcomes };
}

/** What hooks refused, by rule, the most frequent first. */
export function denialsOf(views: readonly RunView[]): Report['denials'] {
  const all = views.flatMap(({ denials }) => denials.last);
  return {
    count: views.reduce((sum, { denials }) => sum + denials.count, 0),
    rules: [...grouped(all, ({ rule }) => rule)]
      .map(([rule, own]) => ({ rule, count: own.length, example: own.at(-1)?.subject ?? '' }))
      .toSorted((a, b) => b.count - a.count),
  };
}

const MOST_NOTICES = 30;

/** The last warnings and errors. */
export function noticesOf(views: readonly RunView[]): Report['notices'] {
  return views
    .flatMap(({ notices }) => notices.last)
    .flatMap(({ at, level, text }) => (level === 'info' ? [] : [{ at, level, text }]))
    .slice(-MOST_NOTICES);
}
