import type { Story } from '../../contracts/index.ts';
import {
  doneFlag,
  FIELD_NAMES,
  type Fields,
  foldKey,
  NAMES,
  type PlanBlock,
  readBlocks,
  STORY_FIELDS,
  STORY_RULES,
} from '../backlog/index.ts';

/** Words for "not done" that add nothing to `passes: false`. */
const PLAIN_OPEN = /^(?:|false|no|open|to[ _-]?do|pending|not[ _-]?started|new|backlog|planned|incomplete)$/i;
const FLAGS: ReadonlySet<string> = new Set(NAMES.done);
const isFlag = (name: string): boolean => FLAGS.has(foldKey(name));
const OWN: ReadonlySet<string> = new Set(STORY_FIELDS);

/**
 * A native story. Other fields of its file keep their name if it is not one of ours; one that clashes, or would
 * contradict ours, becomes a line of `notes`.
 * @param rename the native id of every story
 */
export function nativeStory(
  story: Story,
  fields: Fields | null,
  rename: (id: string) => string,
  notes: readonly string[],
): Fields {
  const taken = optionalFields(story, fields ?? {});
  const rest = Object.entries(fields ?? {}).filter(([name, value]) => !isTold(name, value, story, taken));
  const kept = rest.filter(([name]) => !OWN.has(name) && !isFlag(name));
  const clashing = rest.filter(([name, value]) => (OWN.has(name) || isFlag(name)) && !isEmpty(value));
  const criteria = story.acceptanceCriteria.filter((criterion) => criterion.trim() !== '');
  const id = rename(story.id);
  const lines = [
    ...(id === story.id ? [] : [`id: ${story.id}`]),
    ...clashing.map(([name, value]) => `${name}: ${inWords(value)}`),
    ...notes,
  ];
  return Object.fromEntries<unknown>([
    ['id', id],
    ['title', story.title.trim() === '' ? id : story.title],
    ['description', story.description],
    // The schema requires one criterion: without a better one, the title can be checked.
    ['acceptanceCriteria', criteria.length > 0 ? criteria : [story.title.trim() === '' ? id : story.title]],
    ['priority', story.priority],
    ['passes', story.passes],
    ['reviewStatus', story.reviewStatus],
    ['reviewCount', story.reviewCount],
    ['reviewFeedback', story.reviewFeedback],
    ['notes', [...(story.notes === '' ? [] : [story.notes]), ...lines].join('\n')],
    ['dependsOn', story.dependsOn.map(rename)],
    ...Object.entries(taken),
    ...kept,
  ]);
}

/** Optional fields of a native story: the values that were read, else those in the file if they are valid. */
function optionalFields(story: Story, fields: Fields): Fields {
  const names = ['model', 'verifyCommands', 'paths', 'estimate', 'labels', 'blocked'] as const;
  const found = names.flatMap((name): [string, unknown][] => {
    const rule = STORY_RULES.find(({ field }) => field === name);
    const value = story[name] ?? (rule?.holds(fields[name]) ? fields[name] : undefined);
    if (isEmpty(value) || (name === 'blocked' && story.passes)) return [];
    return [[name, value]];
  });
  return Object.fromEntries(found);
}

/** Whether the native story already expresses a field of the file. */
function isTold(name: string, value: unknown, story: Story, taken: Fields): boolean {
  if (isFlag(name)) {
    if (typeof value === 'boolean') return value === story.passes;
    if (typeof value !== 'string') return isEmpty(value);
    return story.passes ? doneFlag({ [name]: value })?.standing === 'done' : PLAIN_OPEN.test(value.trim());
  }
  if (Object.hasOwn(taken, name)) return same(taken[name], value);
  const role = Object.entries(FIELD_NAMES).find(([, names]) =>
    names.some((each) => foldKey(each) === foldKey(name)),
  )?.[0];
  const told = [
    ...(role === undefined ? [] : [story[role as keyof Story]]),
    OWN.has(name) ? story[name as keyof Story] : undefined,
  ];
  // A description that served as the title is in the title.
  if (role === 'description') told.push(story.title);
  return told.some((each) => each !== undefined && same(each, value));
}

function same(ours: unknown, theirs: unknown): boolean {
  return JSON.stringify(plain(ours)) === JSON.stringify(plain(theirs));
}

function plain(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return String(value).trim().replace(/\s+/g, ' ');
  return Array.isArray(value) ? value.map(plain) : value;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A value in readable form: texts unchanged, lists by line, fields by name. */
function inWords(value: unknown): string {
  if (Array.isArray(value))
    return value
      .map(
        (each) => `
- ${inline(each)}`,
      )
      .join('');
  return inline(value);
}

function inline(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
    .join(' · ');
}

/** The content of a plan besides the titles, descriptions and criteria of its stories. */
interface PlanExtras {
  /** The text around the stories; null when that is only headings. */
  readonly prose: string | null;
  /** By story, in file order: headings above it, and content of its lines that no field has. */
  readonly stories: readonly { readonly section: string | null; readonly notes: readonly string[] }[];
}

/** Prefix of a criterion whose box was ticked. */
export const TICKED_NOTE = 'ticked in the plan: ';

const TICKED = /^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]\s+(.+)$/;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t#]*$/;

export function readExtras(
  text: string,
  titles: readonly { readonly id: string; readonly title: string }[],
): PlanExtras {
  const { blocks } = readBlocks(text);
  const gaps = blocks.map((block, index) => text.slice(blocks[index - 1]?.end ?? 0, block.start));
  const last = blocks.at(-1);
  const around = [...gaps, text.slice(last?.end ?? 0)].join('').replace(/^\uFEFF/, '');
  const sections = sectionsBefore(gaps);
  return {
    prose: hasProse(around) ? `${around.replace(/(\r?\n){3,}/g, '\n\n').trim()}\n` : null,
    stories: blocks.map((block, index) => ({
      section: sections[index] ?? null,
      notes: [...titleNote(block, titles[index]), ...tickedNotes(block)],
    })),
  };
}

/** The headings above a story, outermost first. */
function sectionsBefore(gaps: readonly string[]): readonly (string | null)[] {
  const open: { level: number; name: string }[] = [];
  return gaps.map((gap) => {
    let fenced = false;
    for (const line of gap.split(/\r?\n/)) {
      if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
      const heading = fenced ? null : HEADING.exec(line);
      if (!heading) continue;
      const level = heading[1]?.length ?? 1;
      while ((open.at(-1)?.level ?? 0) >= level) open.pop();
      open.push({ level, name: heading[2] ?? '' });
    }
    const names = open.filter(({ level }) => level > 1).map(({ name }) => name);
    return names.length > 0 ? names.join(' / ') : null;
  });
}

function hasProse(text: string): boolean {
  return text
    .split(/\r?\n/)
    .some((line) => line.trim() !== '' && !HEADING.test(line) && !/^\s*[-*_]{3,}\s*$/.test(line));
}

/** The story's line, if it says more than its id and title. */
function titleNote(
  { titleLine }: PlanBlock,
  title: { readonly id: string; readonly title: string } | undefined,
): string[] {
  const said = letters(titleLine);
  const known = title === undefined ? '' : letters(title.title);
  if (title === undefined || said === known || said === letters(title.id) + known) return [];
  return [`in the plan: ${titleLine}`];
}

function tickedNotes({ lines }: PlanBlock): string[] {
  const ticked = lines.flatMap(({ text }) => TICKED.exec(text)?.[1] ?? []);
  return ticked.map((criterion) => `${TICKED_NOTE}${criterion}`);
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
