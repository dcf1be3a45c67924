import { isLoopLine } from './entry.ts';
import { linesOf, newlineOf, sectionsOf } from './sections.ts';

/**
 * The log with what an agent said through its tools: lines for the patterns on top, each once, and an entry below.
 * Lines that look like the loop's own are quoted: only the loop writes those.
 */
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
  const below = sections.entries.join('\n').trimEnd() === '' ? [] : linesOf(sections.entries.join('\n').trimEnd());
  return `${[...above, ...below, ...body].join(newline)}${newline}`;
}

/** New patterns stand before the separator, below those that are there. A log without one gets none. */
function withPatterns(patterns: readonly string[], fresh: readonly string[]): readonly string[] {
  if (fresh.length === 0 || patterns.length === 0) return patterns;
  const last = patterns.slice(0, -1).findLastIndex((line) => line.trim() !== '') + 1;
  return [...patterns.slice(0, last), ...fresh, '', ...patterns.slice(-1)];
}
