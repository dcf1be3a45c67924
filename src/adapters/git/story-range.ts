import { looseHead } from './loose-head.ts';
import { line, type Prepared, type Room, runGit, type StoryCommits, type StoryRange } from './room.ts';

/** Trailer of a commit that belongs to a story. */
const STORY_TRAILER = 'Ralph-Story';

/**
 * Trailer of the commit that puts a loop aside, once for each of its stories: what is older belongs to another story,
 * even where that had the same id.
 */
export const ARCHIVED_TRAILER = 'Ralph-Archived';

/**
 * See `Git.storyRange`. The history is read once for all stories; as long as HEAD is moved by nobody but us, what is
 * known of it grows with our own commits.
 */
export async function storyRange(room: Room, storyId: string): Promise<StoryRange | null> {
  const head = (await looseHead(room.repo))?.commit ?? (await resolveHead(room));
  if (room.memory.stories?.head !== head) room.memory.stories = await readStories(room, head);
  return room.memory.stories.byStory.get(storyId) ?? null;
}

/** A commit of ours is on the branch now: what it adds to its parent is known without reading the history again. */
export function rememberCommit(room: Room, { commit, parent, stories }: Prepared): void {
  const known = room.memory.stories;
  if (stories === null || known?.head !== parent) return;
  const { byStory } = known;
  for (const story of new Set(stories)) {
    const { base, commits } = byStory.get(story) ?? { base: parent, commits: 0 };
    byStory.set(story, { base, head: commit, commits: commits + 1 });
  }
  room.memory.stories = { head: commit, byStory };
}

/** The stories that a message of ours names in its trailers; null where it also puts some aside. */
export function storiesNamed(trailers: readonly (readonly [string, string])[]): readonly string[] | null {
  if (trailers.some(([key]) => key === ARCHIVED_TRAILER)) return null;
  return trailers.filter(([key]) => key === STORY_TRAILER).map(([, story]) => story);
}

async function resolveHead(room: Room): Promise<string> {
  return line(await runGit(room, 'find HEAD', ['rev-parse', '--verify', 'HEAD']));
}

async function readStories(room: Room, head: string): Promise<StoryCommits> {
  const values = (key: string) => `%(trailers:key=${key},valueonly,separator=%x02)`;
  const args = [
    'rev-list',
    '--topo-order',
    '--no-commit-header',
    '--fixed-strings',
    `--grep=${STORY_TRAILER}: `,
    `--grep=${ARCHIVED_TRAILER}: `,
    `--format=%H %P%x00${values(STORY_TRAILER)}%x00${values(ARCHIVED_TRAILER)}%x01`,
    head,
  ];
  const records = (await runGit(room, 'find the commits of stories', args)).toString('utf8').split('\x01');
  const byStory = new Map<string, StoryRange>();
  const archived = new Set<string>();
  // Newest first. The search is for text anywhere in the message; only a trailer counts.
  for (const record of records) {
    const [[ids = ''] = [], stories = [], aside = []] = record
      .trim()
      .split('\0')
      .map((part) => part.split('\x02'));
    const [commit, parent] = ids.split(' ');
    if (!commit) continue;
    for (const story of aside) archived.add(story);
    for (const story of new Set(stories)) {
      if (story === '' || archived.has(story)) continue;
      const known = byStory.get(story);
      // A root commit has no parent: all of it is new.
      const base = parent || (await emptyTree(room));
      byStory.set(story, { base, head: known?.head ?? commit, commits: (known?.commits ?? 0) + 1 });
    }
  }
  return { head, byStory };
}

async function emptyTree(room: Room): Promise<string> {
  return line(await runGit(room, 'name the empty tree', ['hash-object', '-t', 'tree', '--stdin']));
}
