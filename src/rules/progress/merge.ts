import { isLoopLine } from './entry.ts';
import { linesOf, newlineOf, sectionsOf } from './sections.ts';

export interface MergedProgress {
  /** The log as it was, with what the agent may add to it. */
  readonly text: string;
  /** What the agent appended; empty when nothing. It survives a roll-back. */
  readonly kept: string;
  readonly patternsChanged: boolean;
  /** The agent touched entries that were there before; they were put back. */
  readonly rewritten: boolean;
}

/**
 * Takes an agent's knowledge out of its version of the log: the patterns on top as it left them, and what it appended.
 * Entries of before stay word for word; where the agent changed them, its new lines are kept below as an addition, so
 * that nothing it wrote is lost either. Lines that look like the loop's own are quoted: only the loop writes those.
 */
export function mergeAgentEntries({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): MergedProgress {
  const newline = newlineOf(before === '' ? after : before);
  const old = sectionsOf(before);
  // Without a section of patterns there is nothing to curate: a line an agent draws does not make one.
  const flat = before.trim() !== '' && old.patterns.length === 0;
  const now = flat ? { patterns: [], entries: linesOf(after) } : sectionsOf(after);
  // A log without a separator lost its patterns by accident or worse: they are curated, not thrown away.
  const patternsLost = old.patterns.length > 0 && now.patterns.length === 0;
  const patterns = patternsLost ? old.patterns : now.patterns;
  const entries = trimEnd(old.entries);
  const agentEntries = trimEnd(now.entries);
  const intact = entries.every((line, i) => agentEntries[i] === line);
  const added = (
    intact
      ? agentEntries.slice(entries.length)
      : without(agentEntries, patternsLost ? [...old.patterns, ...entries] : entries)
  ).map((line) => (isLoopLine(line) ? `> ${line}` : line));
  const rewritten = !intact || patternsLost;
  const patternsChanged = patterns.join('\n') !== old.patterns.join('\n');
  if (!patternsChanged && !added.some((line) => line.trim() !== ''))
    return { text: before, kept: '', patternsChanged, rewritten };
  const body = [...entries, ...added];
  const text = [...patterns, ...body].join(newline);
  return { text: text === '' ? '' : `${text}${newline}`, kept: added.join(newline).trim(), patternsChanged, rewritten };
}

/** The lines that are not among `known`, each known line taken out as often as it occurs there. Linear. */
function without(lines: readonly string[], known: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of known) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function trimEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1);
}
