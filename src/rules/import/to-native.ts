import type { Problem } from '../../contracts/index.ts';
import {
  type Fields,
  isFields,
  loadSource,
  type Path,
  type StoryList,
  uniqueIds,
  validateBacklog,
} from '../backlog/index.ts';
import { cleanText, cleanValue, words } from '../text/index.ts';
import { nativeStory, readExtras, TICKED_NOTE } from './native-story.ts';
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
  const ids = new Map(stories.map(({ story }) => [story.id, unique(story.safeId)]));
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
  const native = {
    ...(defaults.schema === null ? {} : { $schema: defaults.schema }),
    ...top,
    ...aroundStories(value, lists, idsByList, top),
    userStories: stories.map(({ story, fields }, index) => {
      const more = extras?.stories[index];
      const written = nativeStory(story, fields, rename, unsaid(more?.notes ?? [], story.description));
      return cleanValue(more?.section ? { ...written, section: more.section } : written);
    }),
  };
  const text = `${JSON.stringify(native, null, 2)}\n`;
  const problems = backlogProblems(text, file);
  if (problems.length > 0) return { problems };
  const prose = extras === null || extras.prose === null ? null : cleanText(extras.prose);
  return { text, prose, warnings: [...renamed(ids), ...withoutCriteria(understood)] };
}

function isClean(stories: Understood['stories']): boolean {
  return stories.every(({ story }) => [story.title, story.notes].every((text) => cleanText(text) === text));
}

export function backlogProblems(text: string, file: string): readonly Problem[] {
  const loaded = loadSource({ format: 'tasks-json', file, text, reviewsFile: 'reviews.json', reviewsText: null });
  const all = loaded.document === null ? loaded.problems : [...loaded.problems, ...validateBacklog(loaded.document)];
  return all.filter(({ severity }) => severity === 'error');
}

function renamed(ids: ReadonlyMap<string, string>): readonly string[] {
  const changed = [...ids].filter(([before, after]) => before !== after);
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
  return [`no acceptance criteria${which}; the title stands in, write better ones`];
}

/** Whether a native backlog's stories are still empty: a scaffold's template, which may be replaced. */
export function isEmptyBacklog(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && Array.isArray(value['userStories']) && value['userStories'].length === 0;
  } catch {
    return false;
  }
}

/** If the description quotes its check boxes, the notes need not repeat that they were ticked. */
function unsaid(notes: readonly string[], description: string): readonly string[] {
  return notes.filter((note) => !description.includes(`[x] ${note.slice(TICKED_NOTE.length)}`));
}

/** Top-level names with a meaning in our format. */
const OWN: ReadonlySet<string> = new Set(
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
  const clashing = entries.filter(([name]) => OWN.has(name) || name === CLASHES);
  const unsaid = clashing.filter(
    ([name, found]) => JSON.stringify(found) !== JSON.stringify(native[name]) && found !== null,
  );
  const kept = entries.filter(([name]) => !OWN.has(name) && name !== CLASHES);
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
