import { jsonObject, type Problem, type Story } from '../../contracts/index.ts';
import {
  derivedId,
  doneFlag,
  FIELD_NAMES,
  type Fields,
  foldKey,
  isEmpty,
  isFields,
  loadSource,
  NAMES,
  type Path,
  type PlanBlock,
  readBlocks,
  STORY_FIELDS,
  STORY_RULES,
  type StoryList,
  uniqueIds,
  validateBacklog,
} from '../backlog/index.ts';
import { cleanText, cleanValue, words } from '../text/index.ts';
import type { Understood } from './understand.ts';

/** Values from the project, used when the imported file has none. */
export interface NativeDefaults {
  readonly schema: string | null;
  readonly project: string;
  readonly branchName: string;
  /** Checks of the project; those of the file come first. */
  readonly verifyCommands: readonly string[];
}

export interface NativeBacklog {
  readonly text: string;
  readonly prose: string | null;
  readonly warnings: readonly string[];
}

/** The native form of a backlog, without loss; read again and validated. @param file the name for use in problems */
export function toNative(
  understood: Understood,
  defaults: NativeDefaults,
  file: string,
): NativeBacklog | { readonly problems: readonly Problem[] } {
  const { document, value, lists, stories } = understood;
  const { backlog } = document;
  // Already native, only under another name: its bytes are used unchanged.
  const isWhole = understood.format === 'tasks-json' && backlog.project !== null && backlog.branchName !== null;
  if (isWhole && isClean(stories) && backlogProblems(document.text, file).length === 0) {
    return { text: document.text, prose: null, warnings: [] };
  }
  const unique = uniqueIds();
  // Where reviews already name a story by the id made of its title, it stays.
  const hasNoId = ({ id, title }: Story) => document.reviewsText === null && id.startsWith(derivedId(title));
  const numbered = new Set(stories.flatMap(({ story }) => (hasNoId(story) ? story.id : [])));
  const wish = ({ id, safeId }: Story, index: number) =>
    numbered.has(id) ? `US-${String(index + 1).padStart(3, '0')}` : safeId;
  const ids = new Map(stories.map(({ story }, index) => [story.id, unique(wish(story, index))]));
  const rename = (id: string) => ids.get(id) ?? id;
  const extras =
    understood.format === 'markdown'
      ? readExtras(
          document.text,
          stories.map(({ story }) => story),
        )
      : null;
  const top = {
    project: backlog.project ?? defaults.project,
    branchName: backlog.branchName ?? defaults.branchName,
    description: backlog.description,
    verifyCommands: [...new Set([...backlog.verifyCommands, ...defaults.verifyCommands])].filter(
      (command) => command.trim() !== '',
    ),
  };
  let next = 0;
  const idsByList = lists.map(({ items }) => items.map(() => rename(stories[next++]?.story.id ?? '')));
  // Entries that are deleted or archived are no stories, but they are kept.
  const gone = lists.flatMap((list) => list.gone);
  const native = {
    ...(defaults.schema === null ? {} : { $schema: defaults.schema }),
    ...top,
    ...aroundStories(value, lists, idsByList, top),
    ...(gone.length === 0 ? {} : { leftOut: gone }),
    userStories: stories.map(({ story, fields }, index) => {
      const more = extras?.stories[index];
      const before = numbered.has(story.id) ? [] : [story.id];
      const written = nativeStory(story, fields, rename, [
        ...before.flatMap((id) => (id === rename(id) ? [] : [`id: ${id}`])),
        ...unsaid(more?.notes ?? [], story.description),
      ]);
      return cleanValue(more?.section ? { ...written, section: more.section } : written);
    }),
  };
  const text = `${JSON.stringify(native, null, 2)}\n`;
  const problems = backlogProblems(text, file);
  if (problems.length > 0) return { problems };
  const prose = extras === null || extras.prose === null ? null : cleanText(extras.prose);
  return {
    text,
    prose,
    warnings: [...renamed([...ids].filter(([id]) => !numbered.has(id))), ...withoutCriteria(understood)],
  };
}

function isClean(stories: Understood['stories']): boolean {
  return stories.every(({ story }) => [story.title, story.notes].every((text) => cleanText(text) === text));
}

export function backlogProblems(text: string, file: string): readonly Problem[] {
  const loaded = loadSource({ format: 'tasks-json', file, text, reviewsFile: 'reviews.json', reviewsText: null });
  const all = loaded.document === null ? loaded.problems : [...loaded.problems, ...validateBacklog(loaded.document)];
  return all.filter(({ severity }) => severity === 'error');
}

function renamed(ids: readonly (readonly [string, string])[]): readonly string[] {
  const changed = ids.filter(([before, after]) => before !== after);
  return changed.map(
    ([before, after]) => `the id '${before}' cannot be used in branches and files: it became ${after}`,
  );
}

function withoutCriteria({ stories }: Understood): readonly string[] {
  const without = stories.filter(({ story }) => !story.passes && story.acceptanceCriteria.length === 0);
  if (without.length === 0) return [];
  const open = stories.filter(({ story }) => !story.passes).length;
  const which =
    without.length > 3
      ? ` in ${without.length} of ${open} open stories`
      : `: ${without.map(({ story }) => story.id).join(', ')}`;
  return [`no acceptance criteria${which}; the title is used instead, write better ones`];
}

/** Whether a native backlog's stories are still empty: a scaffold's template, which may be replaced. */
export function isEmptyBacklog(text: string): boolean {
  const stories = jsonObject(text)?.['userStories'];
  return Array.isArray(stories) && stories.length === 0;
}

/** If the description quotes its check boxes, the notes need not repeat that they were ticked. */
function unsaid(notes: readonly string[], description: string): readonly string[] {
  return notes.filter((note) => !description.includes(`[x] ${note.slice(TICKED_NOTE.length)}`));
}

/** Top-level names with a meaning in our format. */
const OWN_AT_TOP: ReadonlySet<string> = new Set(
  words('$schema project branchName description verifyCommands userStories version'),
);

/** The key for members that clash with our names. */
const CLASHES = 'imported';

/**
 * All content of a document outside its stories. Lists of stories become lists of ids, so that the grouping stays
 * visible; members with our names go below `imported`.
 * @param native our values, which need no second copy
 */
function aroundStories(
  value: unknown,
  lists: readonly StoryList[],
  ids: readonly (readonly string[])[],
  native: Fields,
): Fields {
  if (!isFields(value)) return {};
  let around: unknown = value;
  for (const [index, list] of lists.entries()) around = replaceAt(around, list.path, ids[index] ?? []);
  const entries = Object.entries(around as Fields).filter(
    ([name, found]) => found !== undefined && name !== 'userStories',
  );
  const clashing = entries.filter(([name]) => OWN_AT_TOP.has(name) || name === CLASHES);
  const unsaid = clashing.filter(
    ([name, found]) => JSON.stringify(found) !== JSON.stringify(native[name]) && found !== null,
  );
  const kept = entries.filter(([name]) => !OWN_AT_TOP.has(name) && name !== CLASHES);
  return Object.fromEntries<unknown>([
    ...kept,
    ...(unsaid.length > 0 ? [[CLASHES, Object.fromEntries(unsaid)] as const] : []),
  ]);
}

/** A copy with a list replaced by ids; a list at the top level needs no such reference and is left out. */
function replaceAt(node: unknown, path: Path, ids: readonly string[], depth = 0): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return depth === 1 ? undefined : ids;
  if (Array.isArray(node)) {
    return node.map((each, at) => (at === head ? replaceAt(each, rest, ids, depth + 1) : each));
  }
  if (!isFields(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, each]) => [name, name === head ? replaceAt(each, rest, ids, depth + 1) : each]),
  );
}

/** Words for "not done" that add nothing to `passes: false`. */
const PLAIN_OPEN = /^(?:|false|no|open|to[ _-]?do|pending|not[ _-]?started|new|backlog|planned|incomplete)$/i;
const FLAGS: ReadonlySet<string> = new Set(NAMES.done);
const isFlag = (name: string): boolean => FLAGS.has(foldKey(name));
const OWN: ReadonlySet<string> = new Set(STORY_FIELDS);

/**
 * A native story. Other fields of its file keep their name if ralph has no field of that name; one that clashes with
 * ralph's fields, or would contradict them, becomes a line of `notes`.
 * @param rename the native id of every story
 */
function nativeStory(
  story: Story,
  fields: Fields | null,
  rename: (id: string) => string,
  notes: readonly string[],
): Fields {
  const taken = optionalFields(story, fields ?? {});
  const rest = Object.entries(fields ?? {}).filter(([name, value]) => !isExpressed(name, value, story, taken));
  const kept = rest.filter(([name]) => !OWN.has(name) && !isFlag(name));
  const clashing = rest.filter(([name, value]) => (OWN.has(name) || isFlag(name)) && !isEmpty(value));
  const criteria = story.acceptanceCriteria.filter((criterion) => criterion.trim() !== '');
  const id = rename(story.id);
  const lines = [...clashing.map(([name, value]) => `${name}: ${inWords(value)}`), ...notes];
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
  const names = ['model', 'verifyCommands', 'paths', 'estimate', 'labels', 'repo', 'blocked'] as const;
  const found = names.flatMap((name): [string, unknown][] => {
    const rule = STORY_RULES.find(({ field }) => field === name);
    const value = story[name] ?? (rule?.holds(fields[name]) ? fields[name] : undefined);
    if (isEmpty(value) || (name === 'blocked' && story.passes)) return [];
    return [[name, value]];
  });
  return Object.fromEntries(found);
}

/** Whether the native story already expresses a field of the file. */
function isExpressed(name: string, value: unknown, story: Story, taken: Fields): boolean {
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

/** A value in readable form: texts unchanged, lists by line, fields by name. */
function inWords(value: unknown): string {
  return Array.isArray(value) ? value.map((each) => `\n- ${inline(each)}`).join('') : inline(value);
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
const TICKED_NOTE = 'ticked in the plan: ';

const TICKED = /^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\]\s+(.+)$/;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t#]*$/;

function readExtras(text: string, titles: readonly { readonly id: string; readonly title: string }[]): PlanExtras {
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
