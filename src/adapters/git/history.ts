import { looseHead } from './head.ts';
import { parseRaw } from './lists.ts';
import { diffTrees } from './objects.ts';
import type { Git } from './port.ts';
import { sh } from './prelude.ts';
import {
  askGit,
  emptyTree,
  line,
  type Prepared,
  type Room,
  runGit,
  runScript,
  type StoryCommits,
  type StoryRange,
  tryGit,
} from './room.ts';

export async function resolveCommit(room: Room, name: string): Promise<string | null> {
  return askGit(room, ['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
}

export async function mergeBase(room: Room, one: string, other: string): Promise<string | null> {
  return askGit(room, ['merge-base', one, other]);
}

export async function descends(room: Room, commit: string, ancestor: string): Promise<boolean> {
  return (await tryGit(room, ['merge-base', '--is-ancestor', ancestor, commit])).exitCode === 0;
}

export async function countCommits(room: Room, from: string, to: string): Promise<number> {
  return Number(line(await runGit(room, 'count commits', ['rev-list', '--count', `${from}..${to}`, '--'])));
}

export async function commitsBetween(
  room: Room,
  from: string,
  to: string,
  most: number,
): ReturnType<Git['commitsBetween']> {
  const args = ['rev-list', '--no-commit-header', '--format=%H %s', `--max-count=${most}`, `${from}..${to}`, '--'];
  const [count, log] = await Promise.all([countCommits(room, from, to), runGit(room, 'list commits', args)]);
  const commits = [...line(log).matchAll(/^(\S+) ?(.*)$/gm)].map(([, id = '', subject = '']) => ({ id, subject }));
  return { count, commits };
}

/** Trailer of a commit that belongs to a story. */
const STORY_TRAILER = 'Ralph-Story';

/**
 * Trailer of the commit that archives a loop, one for each of its stories: older commits belong to another story, even
 * one with the same id.
 */
export const ARCHIVED_TRAILER = 'Ralph-Archived';

export async function storyOfLine(
  room: Room,
  ...[commit, path, at, subjects]: Parameters<Git['storyOfLine']>
): ReturnType<Git['storyOfLine']> {
  // No text conversion: those of the settings are programs.
  const blame = ['blame', '--no-textconv', '--porcelain', `-L${at},${at}`, commit, '--', path];
  const told = await askGit(room, blame);
  const id = told?.split(/\s/, 1)[0];
  if (id === undefined || !/^[0-9a-f]{40,64}$/.test(id)) return null;
  const format = `--format=%(trailers:key=${STORY_TRAILER},valueonly,separator=%x02)`;
  const [story = ''] = ((await askGit(room, ['log', '-1', format, id])) ?? '').trim().split('\x02');
  return story || (subjects.get(/^summary (.*)$/m.exec(told ?? '')?.[1] ?? '') ?? null);
}

/**
 * The history is read once for all stories; as long as only ralph moves HEAD, its own commits are
 * added to the result.
 */
export async function storyRange(room: Room, storyId: string): Promise<StoryRange | null> {
  const head =
    (await looseHead(room.repo))?.commit ?? line(await runGit(room, 'find HEAD', ['rev-parse', '--verify', 'HEAD']));
  if (room.memory.stories?.head !== head) room.memory.stories = await readStories(room, head);
  return room.memory.stories.byStory.get(storyId) ?? null;
}

/** Adds our commit that is now on the branch: its difference from its parent is known without reading the history. */
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

/** The stories that one of our messages names in its trailers; null where it also archives some. */
export function storiesNamed(trailers: readonly (readonly [string, string])[]): readonly string[] | null {
  if (trailers.some(([key]) => key === ARCHIVED_TRAILER)) return null;
  return trailers.filter(([key]) => key === STORY_TRAILER).map(([, story]) => story);
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
  // Newest first. The search finds text anywhere in the message; only a trailer counts.
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
      // A root commit has no parent: all of its content is new.
      const base = parent || (await emptyTree(room));
      byStory.set(story, { base, head: known?.head ?? commit, commits: (known?.commits ?? 0) + 1 });
    }
  }
  return { head, byStory };
}

export async function changedBy(
  room: Room,
  steps: Parameters<Git['changedBy']>[0],
): Promise<readonly (readonly string[] | null)[]> {
  const changes = steps.map(({ base, commit }) => diffTrees(room, base, commit).catch(() => null));
  return (await Promise.all(changes)).map((found) => found?.map(({ path }) => path) ?? null);
}

/** Every path that a commit of `from..to` changed → the ids of the blobs that it had in any of them. */
export async function pastVersions(room: Room, from: string, to: string) {
  const past = new Map<string, Set<string>>();
  for (const { path, newId } of parseRaw(await runScript(room, 'read what commits changed', PAST, [from, to]))) {
    const ids = past.get(path) ?? new Set();
    past.set(path, ids.add(newId));
  }
  return past;
}

/** $1: from, $2: to. Prints the changes of every commit in between, raw; for a merge, against each parent. */
const PAST = sh`
git rev-list "$1..$2" | git diff-tree --stdin -r -m --root --raw -z --no-renames --no-commit-id --ignore-submodules=none
`;
