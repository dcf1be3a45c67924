import type { Mode, Verdict } from '../../contracts/model.ts';
import { isSeparator, linesOf, newlineOf } from './sections.ts';

/** What the loop notes about one iteration. */
export interface ProgressEntry {
  readonly iteration: number;
  /** Epoch milliseconds, when it ended. */
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

/** Whether a line of the log is an entry of the loop. */
export function isLoopLine(line: string): boolean {
  return LOOP_LINE.test(line);
}

/** The entry as one line, without its newline. */
export function formatEntry(entry: ProgressEntry): string {
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

/** The log with an entry at its end, in the log's own line ends. */
export function appendEntry(text: string, entry: ProgressEntry): string {
  const newline = newlineOf(text);
  const head = text === '' || text.endsWith('\n') ? text : `${text}${newline}`;
  return `${head}${formatEntry(entry)}${newline}`;
}

/**
 * The log with everything older than the loop's last `keep` entries cut down to one line each: the loop's entries are
 * one already, of another entry its heading stays with the first line below it. The patterns on top are not touched. Compacting twice changes
 * nothing.
 * @returns the log, and every entry that lost something, whole; empty when none did
 */
export function compact(text: string, keep: number): { readonly text: string; readonly cut: string } {
  const lines = linesOf(text);
  const start = lines.findIndex(isSeparator) + 1;
  const entries = lines.flatMap((line, i) => (i >= start && isLoopLine(line) ? [i] : []));
  const last = entries[entries.length - keep - 1];
  if (last === undefined) return { text, cut: '' };
  const { kept, cut } = firstLines(lines.slice(start, last + 1));
  return {
    text: [...lines.slice(0, start), ...kept, ...lines.slice(last + 1)].join(newlineOf(text)),
    cut: cut.join('\n'),
  };
}

/** An entry of an agent, or of a person, on its way to one line. */
interface OldEntry {
  readonly lines: string[];
  readonly heading: boolean;
}

const FENCE = /^\s*(?:```|~~~)/;
/** Columns of the one line that stays of an entry. */
const LINE_WIDTH = 200;

/** One line for every entry: a loop line as it is, a heading with the first line below it. */
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

/** A heading in any case: what stands without one would run into its neighbour the next time. */
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

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
