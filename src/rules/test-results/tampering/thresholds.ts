import { type FileChange, type Finding, linesOf, type Severity, startOf, withoutCommentLines } from './change.ts';

interface Threshold {
  readonly what: string;
  readonly files: RegExp;
  readonly looser: 'lower' | 'higher';
  /** Flags `gm`; the groups `value` and, if a file may have several, `key`. */
  readonly pattern: RegExp;
  readonly severity: Severity;
  /** Only a change by this factor or more counts as looser. */
  readonly factor: number;
  /** Removing it also loosens the check. */
  readonly required: boolean;
}

/** A threshold whose value follows the pattern `name`. */
function threshold(
  what: string,
  files: RegExp,
  looser: Threshold['looser'],
  name: string,
  more: Partial<Pick<Threshold, 'severity' | 'factor' | 'required'>> = {},
): Threshold {
  const pattern = new RegExp(String.raw`${name}(?<value>-?\d*\.?\d+(?:[eE]-?\d+)?)`, 'gm');
  return { what, files, looser, pattern, severity: 'high', factor: 1, required: false, ...more };
}

/** A minimum that a check demands: a lower one is looser, and so is none. */
const minimum = (what: string, files: RegExp, name: string) =>
  threshold(what, files, 'lower', name, { required: true });

const COVERAGE = 'Required coverage';
const anyFile = /./;
const tests = /test|spec|e2e|(?:^|\/)(?:jest|vitest|playwright|cypress|\.mocharc)/i;

const thresholds: readonly Threshold[] = [
  minimum(
    COVERAGE,
    /(?:^|\/)(?:package\.json|\.?(?:jest|vitest|vite|karma|ava|nyc|nycrc|c8|c8rc|playwright|cypress)[^/]*)$/,
    String.raw`["']?\b(?<key>branches|functions|lines|statements)["']?\s*:\s*`,
  ),
  minimum(
    COVERAGE,
    anyFile,
    String.raw`(?:--cov-fail-under|--fail-under(?:-\w+)?|--check-coverage\s+--(?:lines|branches)|--min(?:imum)?-coverage)[= ]`,
  ),
  minimum(COVERAGE, /\.(?:toml|cfg|ini|coveragerc)$/, String.raw`^[ \t]*fail[_-]under\s*=\s*`),
  minimum(
    COVERAGE,
    /(?:^|\/)(?:pom\.xml|build\.gradle(?:\.kts)?)$/,
    String.raw`(?:<minimum>|\bminimum\s*=\s*["']?|<(?:coverage|mutation)Threshold>)`,
  ),
  minimum(COVERAGE, /codecov\.ya?ml$/, String.raw`\btarget:\s*`),
  threshold('Allowed drop of coverage', /codecov\.ya?ml$/, 'higher', String.raw`\bthreshold:\s*`),
  minimum(
    COVERAGE,
    /\.(?:rb|exs?|json)$|\.simplecov$/,
    String.raw`\bminimum_coverage\b["']?\s{0,20}[:(]?\s{0,20}(?:line:\s*)?`,
  ),
  minimum(COVERAGE, /\.(?:csproj|props|targets)$|(?:^|\/)mix\.exs$/, String.raw`(?:<Threshold>|\bthreshold:\s*)`),
  minimum(
    'Required mutation score',
    /stryker|infection|(?:^|\/)package\.json$|pyproject\.toml$/,
    String.raw`["']?\b(?<key>break|minMsi|minCoveredMsi)["']?\s*:\s*`,
  ),
  threshold('Level of the analysis', /phpstan[^/]*\.neon(?:\.dist)?$/, 'lower', String.raw`\blevel:\s*`),
  threshold('Level of the analysis', /psalm\.xml(?:\.dist)?$/, 'higher', String.raw`\berrorLevel="`),
  threshold('Number of allowed warnings', anyFile, 'higher', '--max-warnings?[= ]', { required: true }),
  threshold(
    'Number of retries',
    tests,
    'higher',
    String.raw`(?:\bretr(?:y|ies)["']?\s*[:(=]\s*|\bretryTimes\(\s*|--retries[= ]|--reruns[= ]|@flaky\((?:\w+=)?|\breruns\s*=\s*)`,
    { severity: 'low' },
  ),
  threshold(
    'Time limit of tests',
    tests,
    'higher',
    String.raw`(?:\b(?:test)?[tT]imeout["']?\s*[:(=]\s*|\bsetTimeout\(\s*(?=\d+\s*\)))`,
    { severity: 'low', factor: 2 },
  ),
  threshold(
    'Precision',
    tests,
    'lower',
    String.raw`(?:\btoBeCloseTo\([^,()\n]+(?:\([^()\n]*\))?,\s*|\bplaces\s*=\s*|\bdecimal\s*=\s*)`,
  ),
  threshold(
    'Tolerance',
    tests,
    'higher',
    String.raw`\b(?<key>rel|abs|rtol|atol|rel_tol|abs_tol|epsilon|eps|tolerance|delta|max_relative)\s*[=:]\s*`,
  ),
  threshold(
    'Tolerance',
    tests,
    'higher',
    String.raw`(?:\bbe_within\(\s*|\b(?:InDelta|InEpsilon|EXPECT_NEAR|ASSERT_NEAR|XCTAssertEqualWithAccuracy|assertEqualsWithDelta|assert_in_delta|closeTo|approximately)\b[^;\n]*,\s*|\baccuracy:\s*|\bwithin\(\s*|\bassertEquals\([^(),\n]+,[^(),\n]+,\s*)`,
  ),
];

/** Numbers that decide whether a check passes, and that now let it pass more often. */
export function loosenedThresholds({ path, before, after }: FileChange): Finding[] {
  if (before === null || after === null) return [];
  const [old, now] = [withoutCommentLines(before), withoutCommentLines(after)];
  return thresholds
    .filter(({ files }) => files.test(path))
    .flatMap((each) => compare(path, each, valuesOf(each, old), valuesOf(each, now)));
}

interface Value {
  readonly value: number;
  readonly line: number;
}

type Values = ReadonlyMap<string, readonly Value[]>;

/** The values of each key, by size: swapped ones do not look changed. */
function valuesOf({ pattern }: Threshold, text: string): Values {
  const values = new Map<string, Value[]>();
  const lineAt = linesOf(text);
  for (const match of text.matchAll(pattern)) {
    const key = match.groups?.['key'] ?? '';
    const value = { value: Number(match.groups?.['value']), line: lineAt(startOf(match)) };
    values.set(
      key,
      [...(values.get(key) ?? []), value].sort((a, b) => a.value - b.value),
    );
  }
  return values;
}

function compare(path: string, threshold: Threshold, before: Values, after: Values): Finding[] {
  const { what, severity, required, looser, factor } = threshold;
  const finding = (line: number, detail: string): Finding => ({
    kind: 'threshold-loosened',
    path,
    line,
    detail,
    severity,
  });
  const gone = required ? [...before].filter(([key]) => !after.has(key)) : [];
  const values = gone.map(([key, [first]]) => `${key} ${first?.value}`.trim()).join(', ');
  const changed = [...before].flatMap(([key, old]) => {
    const now = after.get(key) ?? [];
    if (now.length !== old.length) return [];
    const name = key === '' ? what : `${what} (${key})`;
    return now.flatMap(({ value, line }, at) => {
      const from = old[at]?.value ?? value;
      const isLooser = looser === 'lower' ? value < from : value > from * factor;
      return isLooser ? [finding(line, `${name} went from ${from} to ${value}.`)] : [];
    });
  });
  return gone.length > 0 ? [finding(1, `${what} (${values}) is gone.`), ...changed] : changed;
}
