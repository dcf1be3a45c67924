import type { Mode, Verdict } from '../contracts/index.ts';
import { oneLine } from './text/index.ts';

interface ProgressEntry {
  readonly iteration: number;
  /** Epoch milliseconds of its end. */
  readonly date: number;
  readonly verdict: Verdict;
  readonly mode: Mode;
  readonly storyId: string;
  readonly title: string;
  readonly reason: string;
  readonly durationMs: number;
  /** US dollars; null when unknown. */
  readonly costUsd: number | null;
  readonly commits: number;
  readonly checks: readonly { readonly command: string; readonly ok: boolean }[];
  readonly rescue: string | null;
}

/** The first word of an entry, for readers of the older format. */
const OUTCOMES: Readonly<Record<Verdict, 'SUCCESS' | 'FAILED' | 'TIMEOUT'>> = {
  accepted: 'SUCCESS',
  advanced: 'SUCCESS',
  rejected: 'FAILED',
  'no-progress': 'FAILED',
  'timed-out': 'TIMEOUT',
  interrupted: 'FAILED',
  'agent-error': 'FAILED',
  limited: 'FAILED',
};

const LOOP_LINE = /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] #\d+ (?:SUCCESS|FAILED|TIMEOUT) \| /;

export function isLoopLine(line: string): boolean {
  return LOOP_LINE.test(line);
}

function formatEntry(entry: ProgressEntry): string {
  const { verdict, reason, rescue } = entry;
  const parts = [
    `[${new Date(entry.date).toISOString()}] #${entry.iteration} ${OUTCOMES[verdict]}`,
    verdict,
    entry.mode,
    `${entry.storyId} ${entry.title}`,
    duration(entry.durationMs),
    entry.costUsd === null ? 'cost unknown' : `$${entry.costUsd.toFixed(2)}`,
    entry.commits === 1 ? '1 commit' : `${entry.commits} commits`,
    checks(entry.checks),
    reason,
    ...(rescue === null ? [] : [`kept at ${rescue}`]),
  ];
  return parts.map(oneLine).join(' | ');
}

/** The log with an entry at its end, with the log's line endings. */
export function appendEntry(text: string, entry: ProgressEntry): string {
  const newline = newlineOf(text);
  const head = text === '' || text.endsWith('\n') ? text : `${text}${newline}`;
  return `${head}${formatEntry(entry)}${newline}`;
}

/** How many entries of one line stay: agents read the log in each iteration. */
const MOST_SHORT = 200;
/** Stands for those before them. */
const EARLIER = /^## (\d+) earlier entries: /;

/**
 * The log with all entries older than the loop's last `keep` cut to one line each: of an entry that is not the loop's,
 * the heading with the first line below it. Of these, the newest stay. Compacting twice changes nothing.
 * @returns the log, and the full text of every entry of an agent or a person that lost something
 */
export function compact(text: string, keep: number): { readonly text: string; readonly cut: string } {
  const lines = linesOf(text);
  const start = lines.findIndex(isSeparator) + 1;
  const entries = lines.flatMap((line, i) => (i >= start && isLoopLine(line) ? [i] : []));
  const last = entries[entries.length - keep - 1];
  if (last === undefined) return { text, cut: '' };
  const { kept, cut } = firstLines(lines.slice(start, last + 1));
  const [, before] = EARLIER.exec(kept[0] ?? '') ?? [];
  const short = before === undefined ? kept : kept.slice(1);
  const gone = short.slice(0, -MOST_SHORT);
  const earlier = Number(before ?? 0) + gone.length;
  const top = earlier === 0 ? [] : [`## ${earlier} earlier entries: see the history of this file`];
  return {
    text: [...lines.slice(0, start), ...top, ...short.slice(-MOST_SHORT), ...lines.slice(last + 1)].join(
      newlineOf(text),
    ),
    cut: [...gone.filter((line) => !isLoopLine(line)), ...cut].join('\n'),
  };
}

/** Width in columns of the one line that remains of an entry. */
const LINE_WIDTH = 200;

/** An entry of an agent or a person that is being shortened to one line. */
interface OldEntry {
  readonly lines: string[];
  readonly heading: boolean;
}

const FENCE = /^\s*(?:```|~~~)/;
/** One line for every entry: a loop line unchanged, a heading with the first line below it. */
function firstLines(lines: readonly string[]): { readonly kept: readonly string[]; readonly cut: readonly string[] } {
  const kept: string[] = [];
  const cut: string[] = [];
  let entry: OldEntry | null = null;
  let fenced = false;
  const close = (): void => {
    if (entry !== null) kept.push(shortened(entry));
    if (entry !== null && entry.lines.length > 1) cut.push(...entry.lines);
    entry = null;
    fenced = false;
  };
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (isLoopLine(line)) {
      close();
      kept.push(line);
    } else if (!fenced && isSeparator(line)) close();
    else if (!fenced && line.startsWith('## ')) {
      close();
      entry = { lines: [line], heading: true };
    } else {
      if (FENCE.test(line)) fenced = !fenced;
      entry ??= { lines: [], heading: false };
      entry.lines.push(line);
    }
  }
  close();
  return { kept, cut };
}

/** Always with a heading: an entry without one would merge with its neighbour at the next compaction. */
function shortened({ lines, heading }: OldEntry): string {
  const [first = '', second] = heading ? lines : [undefined, ...lines];
  const words = second === undefined ? '' : second.replace(/^\s*(?:[-*+]|#+|\d+[.)])\s+/, '').trim();
  const line = first === '' ? `## ${words}` : words === '' ? first : `${first.trimEnd()}: ${words}`;
  return line.length > LINE_WIDTH ? `${line.slice(0, LINE_WIDTH - 1)}…` : line;
}

function checks(results: ProgressEntry['checks']): string {
  if (results.length === 0) return 'no checks';
  return `checks: ${results.map(({ command, ok }) => `${command} ${ok ? 'ok' : 'FAILED'}`).join(', ')}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** The lines of a log, without line endings; a final newline gives an empty last line. */
export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The line ending of a text; LF when it has none yet. */
export function newlineOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** `---` alone: ends the section of patterns, and separates entries in older logs. */
export function isSeparator(line: string): boolean {
  return /^---+\s*$/.test(line);
}

interface ProgressSections {
  /** Up to and including the first separator; empty when there is none. */
  readonly patterns: readonly string[];
  readonly entries: readonly string[];
}

/** Splits a log into the patterns on top, which agents edit, and the entries below, which only grow. */
export function sectionsOf(text: string): ProgressSections {
  const lines = linesOf(text);
  const cut = lines.findIndex(isSeparator) + 1;
  return { patterns: lines.slice(0, cut), entries: lines.slice(cut) };
}

/** The log with an agent's additions through its tools. Lines that look like the loop's are quoted. */
export function addNotes(
  text: string,
  {
    heading,
    notes,
    patterns,
  }: { readonly heading: string; readonly notes: readonly string[]; readonly patterns: readonly string[] },
): string {
  if (notes.length === 0 && patterns.length === 0) return text;
  const newline = newlineOf(text);
  const sections = sectionsOf(text);
  const fresh = patterns.map((pattern) => `- ${pattern}`).filter((line) => !sections.patterns.includes(line));
  const entry = notes.flatMap((note) => ['', ...linesOf(note).map((line) => (isLoopLine(line) ? `> ${line}` : line))]);
  const body = notes.length === 0 ? [] : ['', `## ${heading}`, ...entry];
  const above = withPatterns(sections.patterns, fresh);
  return `${[...above, ...withoutEnd(sections.entries), ...body].join(newline)}${newline}`;
}

/** New patterns go before the separator, below the existing ones. A log without a separator gets none. */
function withPatterns(patterns: readonly string[], fresh: readonly string[]): readonly string[] {
  if (fresh.length === 0 || patterns.length === 0) return patterns;
  const last = patterns.slice(0, -1).findLastIndex((line) => line.trim() !== '') + 1;
  return [...patterns.slice(0, last), ...fresh, '', ...patterns.slice(-1)];
}

interface MergedProgress {
  /** The original log with the agent's permitted additions. */
  readonly text: string;
  /** What the agent appended; empty when nothing. It survives a roll-back. */
  readonly kept: string;
  /** The agent changed existing entries; they were put back. */
  readonly rewritten: boolean;
}

/**
 * Extracts the agent's additions from its version of the log: the patterns on top as it left them, and appended text.
 * Existing entries stay word for word; if the agent changed them, its new lines are kept below as an addition, so that
 * nothing it wrote is lost. Lines that look like the loop's are quoted: only the loop writes those.
 */
export function mergeAgentEntries({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): MergedProgress {
  if (before === after) return { text: before, kept: '', rewritten: false };
  const newline = newlineOf(before === '' ? after : before);
  const old = sectionsOf(before);
  // Without a section of patterns there is nothing to edit: a separator that an agent adds does not create one.
  const flat = before.trim() !== '' && old.patterns.length === 0;
  const now = flat ? { patterns: [], entries: linesOf(after) } : sectionsOf(after);
  // A log without a separator lost its patterns by accident or worse: they are restored, not discarded.
  const patternsLost = old.patterns.length > 0 && now.patterns.length === 0;
  const patterns = patternsLost ? old.patterns : now.patterns;
  const entries = withoutEnd(old.entries);
  const agentEntries = withoutEnd(now.entries);
  const intact = entries.every((line, i) => agentEntries[i] === line);
  const added = (
    intact
      ? agentEntries.slice(entries.length)
      : linesWithout(agentEntries, patternsLost ? [...old.patterns, ...entries] : entries)
  ).map((line) => (isLoopLine(line) ? `> ${line}` : line));
  const rewritten = !intact || patternsLost;
  if (patterns.join('\n') === old.patterns.join('\n') && !added.some((line) => line.trim() !== ''))
    return { text: before, kept: '', rewritten };
  const body = [...entries, ...added];
  const text = [...patterns, ...body].join(newline);
  return { text: text === '' ? '' : `${text}${newline}`, kept: added.join(newline).trim(), rewritten };
}

/** The lines that are not among `known`, each known line removed as often as it occurs there. Linear. */
export function linesWithout(lines: readonly string[], known: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of known) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** The lines without empty ones at the end. */
export function withoutEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}

/** A new progress log: the patterns on top, then the entries. */
export function initialProgress(project: string): string {
  return `# Progress of ${project}

## Codebase Patterns

<!-- What every later iteration should know about this code base: conventions, commands, traps.
     Keep it short and correct it when it turns out wrong. Below the line, entries are only ever appended. -->

---
`;
}
