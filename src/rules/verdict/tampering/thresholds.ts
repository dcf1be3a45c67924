import { type FileChange, linesOf, type TamperFinding, withoutCommentLines } from './change.ts';

interface Threshold {
  readonly what: string;
  readonly files: RegExp;
  /** Flags `gm`; the groups `value` and, if a file may have several, `key`. */
  readonly pattern: RegExp;
  readonly looser: 'lower' | 'higher';
  readonly severity: 'high' | 'low';
  /** Only a change by this factor or more counts as looser. */
  readonly factor?: number;
  /** Removing it also loosens the check. */
  readonly required?: true;
}

const anyFile = /./;
const runners =
  /(?:^|\/)(?:package\.json|\.?(?:jest|vitest|vite|karma|ava|nyc|nycrc|c8|c8rc|playwright|cypress)[^/]*)$/;
const tests = /test|spec|e2e|(?:^|\/)(?:jest|vitest|playwright|cypress|\.mocharc)/i;
const number = String.raw`(?<value>-?\d*\.?\d+(?:[eE]-?\d+)?)`;

/** A threshold whose value follows its name. */
const after = (name: string) => new RegExp(`${name}${number}`, 'gm');

const thresholds: readonly Threshold[] = [
  required('Required coverage', runners, String.raw`["']?\b(?<key>branches|functions|lines|statements)["']?\s*:\s*`),
  required(
    'Required coverage',
    anyFile,
    String.raw`(?:--cov-fail-under|--fail-under(?:-\w+)?|--check-coverage\s+--(?:lines|branches)|--min(?:imum)?-coverage)[= ]`,
  ),
  required('Required coverage', /\.(?:toml|cfg|ini|coveragerc)$/, String.raw`^[ \t]*fail[_-]under\s*=\s*`),
  required(
    'Required coverage',
    /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?)$/,
    String.raw`(?:<minimum>|\bminimum\s*=\s*["']?|<(?:coverage|mutation)Threshold>)`,
  ),
  required('Required coverage', /codecov\.ya?ml$/, String.raw`\btarget:\s*`),
  {
    what: 'Allowed drop of coverage',
    files: /codecov\.ya?ml$/,
    pattern: after(String.raw`\bthreshold:\s*`),
    looser: 'higher',
    severity: 'high',
  },
  required(
    'Required coverage',
    /\.(?:rb|exs?|json)$|\.simplecov$/,
    String.raw`\bminimum_coverage\b["']?\s{0,20}[:(]?\s{0,20}(?:line:\s*)?`,
  ),
  required(
    'Required coverage',
    /\.(?:csproj|props|targets)$|(?:^|\/)mix\.exs$/,
    String.raw`(?:<Threshold>|\bthreshold:\s*)`,
  ),
  required(
    'Required mutation score',
    /stryker|infection|(?:^|\/)package\.json$|pyproject\.toml$/,
    String.raw`["']?\b(?<key>break|minMsi|minCoveredMsi)["']?\s*:\s*`,
  ),
  {
    what: 'Level of the analysis',
    files: /phpstan[^/]*\.neon(?:\.dist)?$/,
    pattern: after(String.raw`\blevel:\s*`),
    looser: 'lower',
    severity: 'high',
  },
  {
    what: 'Level of the analysis',
    files: /psalm\.xml(?:\.dist)?$/,
    pattern: after(String.raw`\berrorLevel="`),
    looser: 'higher',
    severity: 'high',
  },
  {
    what: 'Number of allowed warnings',
    files: anyFile,
    pattern: after('--max-warnings?[= ]'),
    looser: 'higher',
    severity: 'high',
    required: true,
  },
  {
    what: 'Number of retries',
    files: tests,
    pattern: after(
      String.raw`(?:\bretr(?:y|ies)["']?\s*[:(=]\s*|\bretryTimes\(\s*|--retries[= ]|--reruns[= ]|@flaky\((?:\w+=)?|\breruns\s*=\s*)`,
    ),
    looser: 'higher',
    severity: 'low',
  },
  {
    what: 'Time limit of tests',
    files: tests,
    pattern: after(String.raw`(?:\b(?:test)?[tT]imeout["']?\s*[:(=]\s*|\bsetTimeout\(\s*(?=\d+\s*\)))`),
    looser: 'higher',
    severity: 'low',
    factor: 2,
  },
  {
    what: 'Precision',
    files: tests,
    pattern: after(String.raw`(?:\btoBeCloseTo\([^,()\n]+(?:\([^()\n]*\))?,\s*|\bplaces\s*=\s*|\bdecimal\s*=\s*)`),
    looser: 'lower',
    severity: 'high',
  },
  {
    what: 'Tolerance',
    files: tests,
    pattern: after(
      String.raw`\b(?<key>rel|abs|rtol|atol|rel_tol|abs_tol|epsilon|eps|tolerance|delta|max_relative)\s*[=:]\s*`,
    ),
    looser: 'higher',
    severity: 'high',
  },
  {
    what: 'Tolerance',
    files: tests,
    pattern: after(
      String.raw`(?:\bbe_within\(\s*|\b(?:InDelta|InEpsilon|EXPECT_NEAR|ASSERT_NEAR|XCTAssertEqualWithAccuracy|assertEqualsWithDelta|assert_in_delta|closeTo|approximately)\b[^;\n]*,\s*|\baccuracy:\s*|\bwithin\(\s*|\bassertEquals\([^(),\n]+,[^(),\n]+,\s*)`,
    ),
    looser: 'higher',
    severity: 'high',
  },
];

/** A minimum that a check demands: a lower one is looser, and so is none. */
function required(what: string, files: RegExp, name: string): Threshold {
  return { what, files, pattern: after(name), looser: 'lower', severity: 'high', required: true };
}

/** Numbers that decide whether a check passes, and that now let it pass more often. */
export function loosenedThresholds({ path, before, after: now }: FileChange): TamperFinding[] {
  if (before === null || now === null) return [];
  const [old, text] = [withoutCommentLines(before), withoutCommentLines(now)];
  return thresholds
    .filter(({ files }) => files.test(path))
    .flatMap((threshold) => compare(path, threshold, valuesOf(threshold, old), valuesOf(threshold, text)));
}

interface Value {
  readonly value: number;
  readonly line: number;
}

function valuesOf({ pattern }: Threshold, text: string): ReadonlyMap<string, readonly Value[]> {
  const values = new Map<string, Value[]>();
  const lineAt = linesOf(text);
  for (const match of text.matchAll(pattern)) {
    const key = match.groups?.['key'] ?? '';
    const value = { value: Number(match.groups?.['value']), line: lineAt(match.index + match[0].search(/\S|$/)) };
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

type Values = ReadonlyMap<string, readonly Value[]>;

function compare(path: string, threshold: Threshold, before: Values, after: Values): TamperFinding[] {
  if (before.size > 0 && after.size === 0 && threshold.required === true) {
    const values = [...before].map(([key, [first]]) => `${key} ${first?.value}`.trim()).join(', ');
    const { what, severity } = threshold;
    return [{ kind: 'threshold-loosened', path, line: 1, detail: `${what} (${values}) is gone.`, severity }];
  }
  return [...before].flatMap(([key, old]) => {
    const name = key === '' ? threshold.what : `${threshold.what} (${key})`;
    const now = after.get(key) ?? [];
    const finding = (line: number, detail: string): TamperFinding => ({
      kind: 'threshold-loosened',
      path,
      line,
      detail,
      severity: threshold.severity,
    });
    if (now.length < old.length && threshold.required === true) {
      return now.length === 0 ? [finding(1, `${name} of ${old[0]?.value} is gone.`)] : [];
    }
    // Sorted by size, so that swapped values do not look changed.
    if (now.length !== old.length) return [];
    const [from, to] = [bySize(old), bySize(now)];
    return to.flatMap((entry, at) =>
      isLooser(threshold, from[at]?.value ?? entry.value, entry.value)
        ? [finding(entry.line, `${name} went from ${from[at]?.value} to ${entry.value}.`)]
        : [],
    );
  });
}

const bySize = (values: readonly Value[]) => [...values].sort((a, b) => a.value - b.value);

function isLooser({ looser, factor }: Threshold, from: number, to: number): boolean {
  return looser === 'lower' ? to < from : to > from * (factor ?? 1);
}
