import type { TestOutcome } from '../api.ts';
import { type Detector, type Finding, summary, uncounted } from './finding.ts';

/** A framework that says on one line how it ended. */
export interface SummaryLine {
  readonly framework: string;
  /** Without it in the output the pattern is not tried. */
  readonly hint: string;
  /**
   * The whole line. Its named groups are counts: `passed`, `failed`, `failed2` (another kind of failure), `errors`
   * (tests that could not run), `total`, `skipped`. Without `passed` it is what the total leaves.
   */
  readonly line: RegExp;
  /** What the next line that is not empty must be; it may count, too. */
  readonly next?: RegExp;
  /** What the line means when it counts nothing. */
  readonly outcome?: TestOutcome;
  /** A line that ends one of several runs (`each`, the default), or one of which only the last stands. */
  readonly take?: 'each' | 'last';
  /** Default: `summary`. */
  readonly strength?: 'detail' | 'hint';
}

/** How far the next line that is not empty may be. */
const NEXT_LINES = 3;

/** One detector for the rows of one framework: counted rows first, the others when nothing was counted. */
function summaryLines(framework: string, rows: readonly SummaryLine[]): Detector {
  return {
    framework,
    kind: 'runner',
    hints: [...new Set(rows.map(({ hint }) => hint))],
    detect: ({ lines, text }) => {
      const present = rows.filter(({ hint }) => text.includes(hint));
      const counted = present.filter(({ outcome }) => outcome === undefined).flatMap((row) => found(row, lines));
      const stated = present
        .filter(({ outcome }) => outcome !== undefined)
        .flatMap((row) => found(row, lines).slice(0, 1));
      const worse = stated.filter(({ outcome, strength }) => outcome === 'error' && strength === 'summary');
      if (counted.length === 0) return stated;
      return counted.some(({ outcome }) => outcome === 'fail') ? counted : [...counted, ...worse];
    },
  };
}

function found(row: SummaryLine, lines: readonly string[]): readonly Finding[] {
  const all = lines.flatMap((line, index) => {
    const groups = row.line.exec(line);
    if (groups === null) return [];
    if (row.next === undefined) return [findingOf(row, groups.groups, line)];
    const following = lines.slice(index + 1, index + 1 + NEXT_LINES).find((each) => each !== '') ?? '';
    const more = row.next.exec(following);
    return more === null ? [] : [findingOf(row, { ...groups.groups, ...more.groups }, `${line} ${following.trim()}`)];
  });
  return row.take === 'last' ? all.slice(-1) : all;
}

function findingOf(row: SummaryLine, groups: Readonly<Record<string, string>> = {}, line: string): Finding {
  const strength = row.strength ?? 'summary';
  if (row.outcome !== undefined) return uncounted(row.framework, row.outcome, line, strength);
  const count = (name: string) => Number(groups[name] ?? 0);
  const failed = count('failed') + count('failed2');
  const errors = count('errors');
  const passed =
    groups['passed'] === undefined ? Math.max(0, count('total') - failed - errors - count('skipped')) : count('passed');
  return { ...summary(row.framework, { passed, failed, errors }, line), strength };
}

/** Rows, by framework, as detectors. */
export function detectorsOf(rows: readonly SummaryLine[]): readonly Detector[] {
  const frameworks = [...new Set(rows.map(({ framework }) => framework))];
  return frameworks.map((framework) =>
    summaryLines(
      framework,
      rows.filter((row) => row.framework === framework),
    ),
  );
}
