import type { Problem } from '../../contracts/model.ts';
import { isFields } from '../backlog/formats/keys.ts';
import { uniqueIds } from '../backlog/ids.ts';
import { loadSource } from '../backlog/load.ts';
import { validateBacklog } from '../backlog/validate.ts';
import { cleanText, cleanValue } from './clean-text.ts';
import { aroundStories } from './native-document.ts';
import { nativeStory } from './native-story.ts';
import { readExtras, TICKED_NOTE } from './prose.ts';
import type { Understood } from './understand.ts';

/** What the project contributes where the imported file says nothing. */
export interface NativeDefaults {
  readonly schema: string | null;
  readonly project: string;
  readonly branchName: string;
  /** Checks of the project; those of the file come first. */
  readonly verifyCommands: readonly string[];
}

/** A native backlog, ready to be written. */
export interface NativeBacklog {
  readonly text: string;
  /** Text around the stories of a Markdown plan. */
  readonly prose: string | null;
  readonly warnings: readonly string[];
}

/**
 * The native form of what was read, losing nothing. It is read again and validated before anybody writes it.
 * @param file as problems name it
 */
export function toNative(
  understood: Understood,
  defaults: NativeDefaults,
  file: string,
): NativeBacklog | { readonly problems: readonly Problem[] } {
  const { document, value, lists, stories } = understood;
  const { backlog } = document;
  // Native already, if under another name: its bytes are what is wanted.
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

/** What keeps a native text from being worked with. */
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

/** The stories of a native backlog that hold nothing yet: a scaffold's template, which may be replaced. */
export function isEmptyBacklog(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && Array.isArray(value['userStories']) && value['userStories'].length === 0;
  } catch {
    return false;
  }
}

/** A description that quotes its check boxes need not be told twice that they were ticked. */
function unsaid(notes: readonly string[], description: string): readonly string[] {
  return notes.filter((note) => !description.includes(`[x] ${note.slice(TICKED_NOTE.length)}`));
}
