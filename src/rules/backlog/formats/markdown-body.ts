import type { BlockLine, PlanBlock } from './markdown-blocks.ts';
import { looksLikeId, parseNeeds, plain } from './markdown-title.ts';
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
}

interface Entry {
  /** The item's text with the lines that continue it; null for a line outside lists. */
  readonly item: string | null;
  readonly lines: string[];
  /** The label that the line stands under, e.g. `acceptance criteria`. */
  readonly label: string;
}

/**
 * Reads a story's block. List items are its acceptance criteria: those under a label of that name if there is one,
 * else all. The rest is the description.
 */
export function readBody(story: Head, ids: ReadonlySet<string>): PlanBody {
  const entries = group(story.block.lines);
  const labelled = entries.some((entry) => entry.item !== null && isCriteriaLabel(entry.label));
  const description: string[] = story.rest === '' ? [] : [story.rest];
  const criteria: string[] = [];
  const needs = new Set<string>();
  let priority: number | null = null;
  addNeeds(parseNeeds(story.block.titleLine));
  for (const entry of entries) {
    const said = plain(entry.item ?? entry.lines.join(' '));
    const found = parseNeeds(said);
    const rank = /^priority\s*:\s*(.+)$/i.exec(said)?.[1];
    if (found) addNeeds(found);
    if (rank !== undefined) priority ??= priorityOf(rank);
    if (entry.item !== null && !found && rank === undefined && (!labelled || isCriteriaLabel(entry.label))) {
      criteria.push(entry.item);
    } else if (!isCriteriaLabel(said)) {
      description.push(...entry.lines);
    }
  }
  return { description: tidy(description), criteria, dependsOn: [...needs], priority };

  function addNeeds(found: readonly string[] | null): void {
    for (const id of found ?? []) if (id !== story.id && (ids.has(id) || looksLikeId(id))) needs.add(id);
  }
}

/** List items with the lines that belong to them, and the other lines one by one. */
function group(lines: readonly BlockLine[]): Entry[] {
  const entries: { item: string | null; lines: string[]; label: string }[] = [];
  let label = '';
  let blank = false;
  for (const { text, item } of lines) {
    const current = entries.at(-1);
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
    const words = plain(text.replace(/^\s*#+/, ''));
    if (item === null && (words.endsWith(':') || isHeading(text))) label = words.replace(/:$/, '').toLowerCase();
    if (!isRule(text)) entries.push({ item, lines: [text], label });
  }
  return entries;
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
