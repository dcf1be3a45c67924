import type { BlockLine, PlanBlock } from './markdown-blocks.ts';
import { commandsIn, isVerificationLabel } from './markdown-checks.ts';
import { type Names, parseNeeds, parseTitleNeeds } from './markdown-needs.ts';
import { pathsIn } from './markdown-paths.ts';
import { plain } from './markdown-title.ts';
import { priorityOf } from './priority.ts';

/** As much of a story as its body is read from. */
interface Head {
  readonly id: string;
  /** What its first line says after the title. */
  readonly rest: string;
  readonly block: PlanBlock;
}

/** What the lines below a story's title say. */
export interface PlanBody {
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly priority: number | null;
  /** Commands under a label such as `Verify:`. */
  readonly checks: readonly string[];
  /** Files named after `Files:`. */
  readonly paths: readonly string[];
}

interface Entry {
  /** The item's text with the lines that continue it; null for a line outside lists. */
  readonly item: string | null;
  readonly lines: string[];
  /** The label that the line stands under, e.g. `acceptance criteria`. */
  readonly label: string;
  /** Its words without markup. */
  readonly said: string;
}

const RANK = /^prio(?:rity)?\s*:\s*(.+)$/i;
/** `Acceptance: it works`, on one line; dots alone are a template that nobody filled. */
const INLINE = /^(?:acceptance(?: criteri(?:a|on))?|done when)\s*:\s*(?=.*[\p{L}\p{N}])(.+)$/iu;

/**
 * Reads a story's block. List items are its acceptance criteria: those under a label of that name if there is one,
 * else all. The rest is the description.
 */
export function readBody(story: Head, names: Names): PlanBody {
  const entries = group(story.block.lines);
  const labelled = entries.some(
    ({ item, label, said }) => INLINE.test(said) || (item !== null && isCriteriaLabel(label)),
  );
  const description: string[] = story.rest === '' ? [] : [story.rest];
  const criteria: string[] = [];
  const needs = new Set(parseTitleNeeds(story.block.titleLine, names));
  const checks = new Set<string>();
  const paths = new Set<string>();
  let priority: number | null = null;
  for (const { item, lines, label, said } of entries) {
    const found = parseNeeds(said, names);
    const rank = RANK.exec(said)?.[1];
    const files = pathsIn(said, label);
    const inline = INLINE.exec(said)?.[1];
    for (const command of commandsIn(lines, isVerificationLabel(label))) checks.add(command);
    for (const id of found ?? []) needs.add(id);
    for (const path of files ?? []) paths.add(path);
    if (rank !== undefined) priority ??= priorityOf(rank);
    if (files) continue;
    if (inline !== undefined) {
      criteria.push(inline);
    } else if (item !== null && !found && rank === undefined && (labelled ? isUnder(label, said) : true)) {
      criteria.push(item);
    } else if (!isCriteriaLabel(said)) {
      description.push(...lines);
    }
  }
  needs.delete(story.id);
  return {
    description: tidy(description),
    criteria,
    dependsOn: [...needs],
    priority,
    checks: [...checks],
    paths: [...paths],
  };
}

/** Whether an item stands under a label for criteria, and is not the label. */
function isUnder(label: string, said: string): boolean {
  return isCriteriaLabel(label) && !isCriteriaLabel(said);
}

/** List items with the lines that belong to them, and the other lines one by one. */
function group(lines: readonly BlockLine[]): Entry[] {
  const found: { item: string | null; lines: string[]; label: string }[] = [];
  let label = '';
  /** A list item that is the label of those nested in it. */
  let above: { indent: number; label: string } | null = null;
  let blank = false;
  for (const { text, item } of lines) {
    const current = found.at(-1);
    if (text.trim() === '') {
      blank = true;
      current?.lines.push(text);
      continue;
    }
    const continues =
      item === null && current?.item != null && (!blank || /^\s/.test(text)) && !isRule(text) && !isHeading(text);
    blank = false;
    if (continues) {
      current.item = `${current.item} ${text.trim()}`;
      current.lines.push(text);
      continue;
    }
    if (item === null) {
      const words = plain(text.replace(/^\s*#+/, ''));
      if (words.endsWith(':') || isHeading(text) || isCriteriaLabel(words)) label = labelOf(words);
      above = null;
    } else {
      const indent = text.search(/\S/);
      if (above && indent <= above.indent) above = null;
    }
    if (!isRule(text)) found.push({ item, lines: [text], label: above?.label ?? label });
    if (item !== null && !above && /:[*_]*$/.test(item))
      above = { indent: text.search(/\S/), label: labelOf(plain(item)) };
  }
  return found.map(({ item, lines, label }) => ({ item, lines, label, said: plain(item ?? lines.join(' ')) }));
}

function labelOf(words: string): string {
  return words.replace(/:$/, '').toLowerCase();
}

function isCriteriaLabel(text: string): boolean {
  return /^\W*(?:acceptance criteria|acceptance|done when|definition of done)\W*$/i.test(text);
}

function isHeading(text: string): boolean {
  return /^\s*#{1,6}\s/.test(text);
}

function isRule(text: string): boolean {
  return /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text);
}

/** Lines without the indentation they share and without blank lines around them. */
function tidy(lines: readonly string[]): string {
  const widths = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const shared = widths.reduce((least, width) => Math.min(least, width), Number.POSITIVE_INFINITY);
  return lines
    .map((line) => (line.search(/\S/) >= shared ? line.slice(shared) : line).trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
