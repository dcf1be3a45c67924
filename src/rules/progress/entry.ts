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
 * one already, of an agent's entry its first line stays. The patterns on top are not touched. Compacting twice changes
 * nothing.
 */
export function compact(text: string, keep: number): string {
  const lines = linesOf(text);
  const start = lines.findIndex(isSeparator) + 1;
  const entries = lines.flatMap((line, i) => (i >= start && isLoopLine(line) ? [i] : []));
  const last = entries[entries.length - keep - 1];
  if (last === undefined) return text;
  const old = firstLines(lines.slice(start, last + 1));
  return [...lines.slice(0, start), ...old, ...lines.slice(last + 1)].join(newlineOf(text));
}

/** The first line of every entry: a loop line, a heading, or whatever else opens an agent's text. */
function firstLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let opening = true;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const loopLine = isLoopLine(line);
    const boundary = loopLine || line.startsWith('## ');
    if (isSeparator(line)) opening = true;
    else if (boundary || opening) {
      kept.push(line);
      opening = loopLine;
    }
  }
  return kept;
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
