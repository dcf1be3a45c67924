import type { Story } from '../../contracts/model.ts';
import { type Fields, foldKey } from '../backlog/formats/keys.ts';
import { NAMES } from '../backlog/formats/prd-fields.ts';
import { doneFlag } from '../backlog/formats/prd-flag.ts';
import { DONE_KEYS } from '../backlog/formats/prd-list.ts';
import { STORY_FIELDS, STORY_RULES } from '../backlog/formats/tasks-fields.ts';

/** Words for "not done" that say nothing more than `passes: false` does. */
const PLAIN_OPEN = /^(?:|false|no|open|to[ _-]?do|pending|not[ _-]?started|new|backlog|planned|incomplete)$/i;
const FLAGS: ReadonlySet<string> = new Set(DONE_KEYS);
const isFlag = (name: string): boolean => FLAGS.has(foldKey(name));
const OWN: ReadonlySet<string> = new Set(STORY_FIELDS);

/**
 * A story as a native backlog has it. What its file says beyond that is kept under its own name where that is no name
 * of ours; what clashes with one, or would contradict it, becomes a line of `notes`.
 * @param fields the story as it stood in its file; null in Markdown
 * @param rename the native id of every story
 * @param notes more lines for `notes`
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
    // The schema wants one: with nothing better, the title is what can be checked.
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

/** Fields that a native story may have: as they were read, else as the file has them when that is valid. */
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

/** Whether the native story says by itself what a field of the file says. */
function isTold(name: string, value: unknown, story: Story, taken: Fields): boolean {
  if (isFlag(name)) {
    if (typeof value === 'boolean') return value === story.passes;
    if (typeof value !== 'string') return isEmpty(value);
    return story.passes ? doneFlag({ [name]: value })?.standing === 'done' : PLAIN_OPEN.test(value.trim());
  }
  if (Object.hasOwn(taken, name)) return same(taken[name], value);
  const role = Object.entries(NAMES).find(([, names]) => names.some((each) => foldKey(each) === foldKey(name)))?.[0];
  const told = [
    ...(role === undefined ? [] : [story[role as keyof Story]]),
    OWN.has(name) ? story[name as keyof Story] : undefined,
  ];
  // A description that had to serve as the title is in the title.
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

/** A value for people: texts as they are, lists by line, fields by name. */
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
