/** What a run printed, as the detectors read it. */
export interface Output {
  /** Without colours, cursor movements and task prefixes; standard output first, then standard error. */
  readonly text: string;
  /** The lines of `text`; very long ones are cut. */
  readonly lines: readonly string[];
  /** Only one stream has output: the lines are as the run printed them, one after another. */
  readonly ordered: boolean;
}

/** Characters kept from the start and from the end of a stream: a summary is at its end, a crash at its start. */
const HEAD = 64 * 1024;
const TAIL = 256 * 1024;
/** Lines kept of them: with very short lines every pattern would run very often. */
const HEAD_LINES = 2_000;
const TAIL_LINES = 8_000;
/** No summary line is longer; longer lines are data, and would only slow patterns down. */
const LONGEST_LINE = 2000;
/** At least this many lines must share a prefix. */
const FEWEST_PREFIXED = 3;

/** Both streams of a run, cut to their ends and stripped of everything that only a terminal understands. */
export function cleanOutput(stdout: string, stderr: string): Output {
  const lines = [...cleanStream(stdout), ...cleanStream(stderr)].map((line) => line.trimEnd());
  return {
    text: lines.join('\n'),
    lines: lines.map((line) => line.slice(0, LONGEST_LINE)),
    ordered: stdout === '' || stderr === '',
  };
}

function cleanStream(stream: string): readonly string[] {
  if (stream === '') return [];
  const lines = withoutControls(cut(stream)).split('\n');
  const few = lines.length <= HEAD_LINES + TAIL_LINES;
  const kept = few ? lines : [...lines.slice(0, HEAD_LINES), ...lines.slice(-TAIL_LINES)];
  return withoutPrefixes(withoutPrefixes(kept));
}

function cut(text: string): string {
  return text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
}

/** Strips CSI and OSC sequences, then other control characters; a carriage return starts a new line. */
function withoutControls(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are driven by control characters.
      .replace(/\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b\n]{0,500}(?:\u0007|\u001b\\)/g, '')
      .replace(/\r\n?/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
  );
}

/** How task runners, containers and CI mark the source of a line. None matches text that a summary line starts with. */
const PREFIXES: readonly RegExp[] = [
  // turbo: `web:test: `, `@scope/web:test:unit: `
  /^@?[\w./-]+[:#][a-z][\w:.-]*(?:: |:$)/,
  // pnpm -r: `packages/web test: `; bun --filter: `@scope/web test: `
  /^@?[\w./-]+ (?:test|e2e|unit|spec|check|ci|coverage)[\w:.-]*(?:: |:$)/,
  // GNU parallel with --tag: `web.test.js<tab>`. Go marks its packages with a tab, too.
  /^(?!ok\b|FAIL\t|PASS\t|\?)[\w@./:-]+\t/,
  // lerna: `@scope/web: `
  /^@[\w.-]+\/[\w.-]+(?:: |:$)/,
  // concurrently, yarn workspaces: `[api] `, `[@scope/web]: `
  /^\[(?!INFO|ERROR|WARNING|error|info|warn|success|doctest)@?[A-Za-z0-9][\w@/.:-]*\]:? /,
  // docker compose: `web-1  | `
  /^[A-Za-z][\w.-]* *\| /,
  // docker build: `#12 3.456 `
  /^#\d+ \d+\.\d+ ?/,
  // `ts`: `Jan 31 12:00:00 `
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d /,
  // CI: `2026-01-31T12:00:00.1234567Z `
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? /,
];

/** Index of the first prefix that differs on every line, so that equal ones cannot be counted. */
const EACH_LINE_ITS_OWN = 6;

/**
 * Lines without the prefixes of parallel tasks, grouped by task: tasks that print at the same time would otherwise
 * interrupt each other's summary.
 */
function withoutPrefixes(lines: readonly string[]): readonly string[] {
  const found = lines.map(prefixOf);
  const counts = new Map<string, number>();
  for (const prefix of found) if (prefix !== null) counts.set(prefix.key, (counts.get(prefix.key) ?? 0) + 1);
  const plain: string[] = [];
  const tasks = new Map<string, string[]>();
  for (const [index, line] of lines.entries()) {
    const prefix = found[index] ?? null;
    if (prefix === null || (counts.get(prefix.key) ?? 0) < FEWEST_PREFIXED) {
      plain.push(line);
      continue;
    }
    const own = tasks.get(prefix.key) ?? [];
    own.push(line.slice(prefix.length));
    tasks.set(prefix.key, own);
  }
  return tasks.size === 0 ? lines : [...[...tasks.values()].flat(), ...plain];
}

function prefixOf(line: string): { readonly key: string; readonly length: number } | null {
  for (const [index, pattern] of PREFIXES.entries()) {
    const prefix = pattern.exec(line.slice(0, 120))?.[0];
    if (prefix !== undefined)
      return { key: index < EACH_LINE_ITS_OWN ? prefix.trimEnd() : `#${index}`, length: prefix.length };
  }
  return null;
}
