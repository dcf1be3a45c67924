import { isCheckCommand } from './check-command.ts';
import type { BlockLine, PlanBlock } from './markdown-blocks.ts';
import { looksLikeId, plain } from './markdown-title.ts';
import { priorityOf } from './priority.ts';

/** The part of a story that its body is read with. */
interface Head {
  readonly id: string;
  /** The text after the title on the first line. */
  readonly rest: string;
  readonly block: PlanBlock;
}

export interface PlanBody {
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly priority: number | null;
  readonly checks: readonly string[];
  readonly paths: readonly string[];
  readonly repo: string | null;
}

interface Entry {
  /** The item's text with its continuation lines; null for a line outside lists. */
  readonly item: string | null;
  readonly lines: string[];
  /** The label above the line, e.g. `acceptance criteria`. */
  readonly label: string;
  readonly said: string;
}

const REPO = /^repo\s*:\s*`?([\w.-]+)`?$/i;
const RANK = /^(?:prio(?:rity|rität|rité|ridade?)?|importance|severity|优先级|優先度)\s*[:：-]\s*(.+)$/iu;
/** A priority in brackets in a title: `(P0)`, `[high]`. */
const RANK_IN_TITLE = /[[(](p[0-5]|critical|urgent|high|medium|low)(?: priority)?[\])]/i;
/** `Acceptance: it works`, on one line; dots alone are an unfilled template. */
const INLINE = /^(?:acceptance(?: criteri(?:a|on))?|done when)\s*:\s*(?=.*[\p{L}\p{N}])(.+)$/iu;

/** List items are the criteria: those under a label of that name if there is one, else all. The rest is the description. */
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
  let priority = priorityOf(RANK_IN_TITLE.exec(story.block.titleLine)?.[1]);
  let repo: string | null = null;
  for (const { item, lines, label, said } of entries) {
    const isNeed = item !== null && NEEDS_LABEL.test(label);
    const found = parseNeeds(said, names) ?? (isNeed ? namesIn(said, names) : null);
    const rank = RANK.exec(said)?.[1];
    const files = pathsIn(said, label);
    const inline = INLINE.exec(said)?.[1];
    for (const command of commandsIn(lines, isVerificationLabel(label))) checks.add(command);
    for (const id of found ?? []) needs.add(id);
    for (const path of files ?? []) paths.add(path);
    if (rank !== undefined) priority ??= priorityOf(rank);
    const own = REPO.exec(said)?.[1];
    repo ??= own ?? null;
    if (files || own !== undefined) continue;
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
    repo,
  };
}

/** Whether an item is under a label for criteria and is not itself the label. */
function isUnder(label: string, said: string): boolean {
  return isCriteriaLabel(label) && !isCriteriaLabel(said);
}

/** List items with the lines that belong to them, and the other lines one by one. */
function group(lines: readonly BlockLine[]): Entry[] {
  const found: { item: string | null; lines: string[]; label: string }[] = [];
  let label = '';
  /** A list item that labels the items nested in it. */
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
      item === null &&
      current?.item != null &&
      (!blank || /^\s/.test(text)) &&
      !isRule(text) &&
      !isHeading(text) &&
      !IS_BOLD.test(text);
    blank = false;
    if (continues) {
      current.item = `${current.item} ${text.trim()}`;
      current.lines.push(text);
      continue;
    }
    if (item === null) {
      const words = plain(text.replace(/^\s*#+/, ''));
      if (words.endsWith(':') || isHeading(text) || IS_BOLD.test(text) || isCriteriaLabel(words))
        label = labelOf(words);
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

/** A line with nothing but one bold text is a label, with or without a colon. */
const IS_BOLD = /^\s*(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$/;

function labelOf(words: string): string {
  return words.replace(/:$/, '').toLowerCase();
}

const CRITERIA_LABEL =
  /^\W*(?:acceptance(?: criteri(?:a|on)| tests?)?|acs?|(?:success|exit|pass|done|completion) criteria|criteria|done when|definition of done|dod|expected (?:results?|outcomes?|behaviou?r)|abnahmekriterien|akzeptanzkriterien|critères d['’]acceptation|criterios de aceptación|critérios de (?:aceitação|aceite)|验收标准|受け入れ(?:条件|基準))(?:\s*\([^)]*\))?[^\p{L}]*$/iu;

function isCriteriaLabel(text: string): boolean {
  return CRITERIA_LABEL.test(text);
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

interface Names {
  readonly ids: ReadonlySet<string>;
  readonly titles: ReadonlySet<string>;
}

/** A cheap first test: most lines name no dependency. */
const HINT = /dep|block|requires|needs|after|wait|prereq|predecessor|relies|builds on|abhängig|依赖|依存/i;
const STRONG =
  'depend(?:s(?:[ _-]?on)?|enc(?:y|ies)|ing on|ent on)|deps?|blocked[ _-]?by|blockers?|waits for|waiting for|relies on|builds on|' +
  '(?:abhängig|hängt ab) von|dépend(?:ances?)?(?: de)?|depende(?: de|ncias)?|依赖于?|依存';
/** These begin many kinds of sentences: they count only before ids. */
const WEAK = 'requires|needs|after|prerequisites?|predecessors?';
const LABELLED = new RegExp(String.raw`^[\s*_(>-]*(?:(${STRONG})|${WEAK})[*_]*\s*[:：][*_]*\s*(.*)$`, 'i');
const NEEDS_LABEL = new RegExp(`^(?:${STRONG}|${WEAK})$`, 'i');
const INSIDE = /[(\s*_-]depend(?:s(?:[ -]on)?|encies)[*_]*\s*:[*_]*\s*([^)\]]*)/i;
const SENTENCE = new RegExp(String.raw`^[\s*_(>-]*(?:${STRONG}|${WEAK})\s+(.*?)[\s.)]*$`, 'i');
const IN_TITLE = new RegExp(
  String.raw`(?:(?:[([]|<!-- ?)(?:${STRONG}|${WEAK}|blocked)|\s[\u2013\u2014-]\s+(?:${STRONG}))(?:\s*:\s*|\s+)([^)\]>]*)`,
  'gi',
);

const WORD = /^(task|story|step|issue|feature|item|phase|milestone|epic)(?:s|ies)?\s+#?/i;
const RANGE =
  /^([^\s\d]*(?:\d+\.)*)(\d+)\s*(?:[-\u2013\u2014\u2026]|\.{2,3}|\bto\b|\bthrough\b)\s*(?:[a-z]+ )?([^\s\d]*(?:\d+\.)*)(\d+)$/i;
/** A larger range is something else, such as years. */
const MOST = 500;

/** The dependencies that a line names: `depends on: US-001, US-002`, `Blocked by: T1–T3`; null when it names none. */
function parseNeeds(text: string, names: Names): string[] | null {
  if (!HINT.test(text)) return null;
  const line = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const labelled = LABELLED.exec(line);
  if (labelled) {
    const found = namesIn(labelled[2] ?? '', names);
    return found.length > 0 || labelled[1] !== undefined ? found : null;
  }
  const inside = INSIDE.exec(line);
  if (inside) return namesIn(inside[1] ?? '', names);
  const sentence = line.length < 500 ? SENTENCE.exec(line) : null;
  return sentence && holdsOnlyNames(sentence[1] ?? '', names) ? namesIn(sentence[1] ?? '', names) : null;
}

/** The dependencies that a title names in brackets: `(blocked by T1)`, `(after T1, T2)`, `[depends on: T1]`. */
function parseTitleNeeds(title: string, names: Names): string[] {
  if (!HINT.test(title)) return [];
  return [...title.matchAll(IN_TITLE)].flatMap((found) => namesIn(found[1] ?? '', names));
}

function namesIn(text: string, { ids, titles }: Names): string[] {
  let word = '';
  return text.split(/[,;&+]|\band\b/i).flatMap((part): string[] => {
    const name = bare(part);
    if (ids.has(name)) return [name];
    word = WORD.exec(name)?.[1] ?? word;
    const rest = name.replace(WORD, '');
    // "Tasks 1, 2": only the first id has the word before it.
    const called = (id: string): string | undefined => [id, `${capital(word)} ${id}`].find((wish) => ids.has(wish));
    const one = called(rest);
    if (one !== undefined) return [one];
    const range = membersOf(rest).flatMap((alike) => alike.map(called).find((id) => id !== undefined) ?? []);
    if (range.length > 0) return range;
    if (titles.has(name.toLowerCase())) return [name];
    return name
      .split(/\s+/)
      .map(bare)
      .filter((said) => ids.has(said) || looksLikeId(said));
  });
}

/** The ids between the ends of `T001–T003`, each in its possible spellings; empty when the text is not a range. */
function membersOf(text: string): string[][] {
  const [, lead = '', from = '', lead2 = '', to = ''] = (text.length < 80 && RANGE.exec(text)) || [];
  const [first, last] = [Number(from), Number(to)];
  if (from === '' || (lead2 !== '' && lead2 !== lead) || last < first || last - first > MOST) return [];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const number = String(first + index);
    return [lead + number.padStart(from.length, '0'), lead + number];
  });
}

function holdsOnlyNames(text: string, names: Names): boolean {
  const parts = text.split(/[,;&+]|\band\b/i).map(bare);
  return parts.every((part) => part !== '' && !/\s/.test(part.replace(WORD, '')) && namesIn(part, names).length > 0);
}

function bare(text: string): string {
  return text.trim().replace(/^[*_`[(#]+|[*_`\]).:]+$/g, '');
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}

const PATHS_LABEL = /^(?:files?|paths?)(?: (?:to (?:change|modify|create|edit|touch)|touched|changed|affected))?$/i;
const LINE = /^([a-z ]{4,16}?)\s*:\s*(\S.*)$/i;
/** The paths that a line names, `Files: src/a.ts, src/b.ts` or an item under such a label; null if it has other text. */
function pathsIn(said: string, label: string): readonly string[] | null {
  const own = LINE.exec(said);
  const text = own && PATHS_LABEL.test(own[1] ?? '') ? (own[2] ?? '') : PATHS_LABEL.test(label) ? said : null;
  if (text === null) return null;
  const paths = text.split(/[,;]|\s+and\s+/).map((part) => part.trim().replace(/^`|`$/g, ''));
  return paths.every(isPath) ? paths : null;
}

/** Inside the project, without blanks, with a folder or an ending: `src/a.ts`, `docs/`, `a.md`. */
function isPath(text: string): boolean {
  return /^[\w.@*{}[\]/-]+$/.test(text) && /\/|\.\w+$/.test(text) && !/^\/|\.\./.test(text);
}

const CHECKS_LABEL =
  /^\W*(?:verif(?:y|ication)|validat(?:e|ion)|quality (?:gates?|checks?)|how to (?:verify|test)|(?:test|verification|validation|check) commands?|checks)\b[^.]{0,40}$/i;
const ANNOUNCED = /(?:veri|valid|check)[a-z]*\W*:/i;
const SECTION = /^#{1,6}[ \t].*(?:verif|valid|quality|check|how to|command)/im;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const HEADING = /^(#{1,6})[ \t]+(.*)$/;

/** Whether a label or heading announces the commands that verify finished work. */
function isVerificationLabel(label: string): boolean {
  return label !== '' && CHECKS_LABEL.test(label.trim());
}

/** The commands in these lines: in code after `Verify:`, or in any code when they stand under such a label. */
function commandsIn(lines: readonly string[], labelled: boolean): string[] {
  return lines.flatMap((line) => {
    if (!labelled && !ANNOUNCED.test(line)) return [];
    const said = line.replace(/^\s*(?:[-*+]|\d+[.)])?\s*/, '').replace(/\*\*|__/g, '');
    const announced = /^(?:verify|verification|validate|validation|check|checks)\s*:\s*(.*)$/i.exec(said)?.[1];
    if (announced === undefined && !labelled) return [];
    const text = announced ?? said;
    const spans = [...text.matchAll(/`([^`]+)`/g)].map((span) => span[1] ?? '');
    // Outside code, only a line that is entirely a command counts.
    const candidates = spans.length > 0 ? spans : labelled ? [text] : [];
    return candidates.map((command) => command.trim().replace(/^\$ /, '')).filter(isCheckCommand);
  });
}

/** Checks of the whole plan: commands in a section `## Verification`, `## Quality gates` …, outside its stories. */
export function sectionChecks(text: string, blocks: readonly PlanBlock[]): readonly string[] {
  if (!SECTION.test(text)) return [];
  const found = new Set<string>();
  let inside = 0;
  let fenced = false;
  let block = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const start = at;
    at += line.length + 1;
    while ((blocks[block]?.end ?? Number.POSITIVE_INFINITY) <= start) block += 1;
    if (FENCE.test(line)) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(line.trimEnd());
    if (heading) {
      const level = heading[1]?.length ?? 1;
      if (isVerificationLabel(heading[2] ?? '')) inside = level;
      else if (level <= inside) inside = 0;
      continue;
    }
    const inStory = (blocks[block]?.start ?? Number.POSITIVE_INFINITY) <= start;
    // A code block at the margin belongs to the section, even below a box.
    const own = !inStory || (fenced && !/^\s/.test(line));
    if (inside > 0 && own) for (const command of commandsIn([line], true)) found.add(command);
  }
  return [...found];
}
