import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from './place.ts';

/** What a person does in the checkout while a run is at work in it. Git may refuse any of it: that is no fault of ralph's. */
const DEEDS = {
  'switches branch': async (place, tag) => {
    await place.git('switch', '-q', '-c', `person-${tag}`);
    await commit(place, tag);
  },
  commits: (place, tag) => commit(place, tag),
  'amends the last commit': async (place) => {
    await place.git('commit', '-q', '--amend', '--no-edit', '--no-verify', '--only');
    await remember(place);
  },
  merges: async (place, tag) => {
    await sideBranch(place, tag);
    await place.git('merge', '-q', '--no-ff', '-m', 'person: merge', `side-${tag}`);
    await remember(place);
  },
  'takes long over a merge': async (place, tag) => {
    await sideBranch(place, tag);
    await place.git('merge', '-q', '--no-ff', '--no-commit', `side-${tag}`);
  },
  rebases: async ({ git }) => {
    await git('-c', 'sequence.editor=sed -i 1s/^pick/edit/', 'rebase', '-q', '-i', 'HEAD~1');
  },
  stashes: async ({ git }) => void (await git('stash', 'push', '-q', '-u', '--', 'src', 'work')),
  'stages a file': async ({ write, git }) => {
    await write('docs/changed.md', 'base\nmine\n');
    await git('add', 'docs/changed.md');
  },
  'edits the backlog': async ({ root, write }) => {
    const text = await readFile(`${root}/ralph/tasks.json`, 'utf8');
    await write('ralph/tasks.json', text.replace('"description": "a project', '"description": "edited: a project'));
  },
  'deletes a branch': async ({ git }) => void (await git('branch', '-q', '-D', 'other')),
  'pushes from a second clone': async ({ git, root, outside }, tag) => {
    const clone = `${outside}/clone-${tag}`;
    await git('clone', '-q', '--branch', 'main', root, clone);
    await git(
      '-C',
      clone,
      '-c',
      'user.name=A User',
      '-c',
      'user.email=user@example.org',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'person: from a clone',
    );
    await git('-C', clone, 'push', '-q', 'origin', 'main');
    await rm(clone, { recursive: true });
  },
} as const satisfies Readonly<Record<string, (place: Place, tag: number) => Promise<void>>>;

export type PersonDeed = keyof typeof DEEDS;
export const PERSON_DEEDS = Object.keys(DEEDS) as readonly PersonDeed[];

/** Does it after a while. */
export async function actAsPerson(place: Place, does: PersonDeed, at: number): Promise<void> {
  await wait(at);
  // Git has its reasons: a tree that is not clean, a lock, nothing to do.
  await DEEDS[does](place, at).catch(() => {});
}

/** What they do before the next start, told what stands in the way. */
export async function finishAsPerson({ git }: Place): Promise<void> {
  const tries = [
    ['rebase', '--abort'],
    ['merge', '--abort'],
    ['stash', 'push', '-q'],
    ['stash', 'push', '-q', '-u', '--', 'src', 'work'],
    ['switch', '-q', 'ralph/test'],
  ];
  for (const args of tries) await git(...args).catch(() => {});
}

/** Commits of theirs that no branch leads to any more, and operations that were ended for them. */
export async function lostOfPerson(place: Place): Promise<readonly string[]> {
  const made = await commitsOfPerson(place);
  const reachable = new Set((await place.git('rev-list', '--branches')).split('\n'));
  return made.filter((id) => !reachable.has(id)).map((id) => `a commit of the person's is on no branch: ${id}`);
}

/** Ids of the commits that the person made during the case. */
export async function commitsOfPerson({ outside }: Place): Promise<readonly string[]> {
  return (await readFile(`${outside}/person`, 'utf8').catch(() => '')).split('\n').filter(Boolean);
}

async function commit(place: Place, tag: number): Promise<void> {
  await place.write(`person/${tag}.txt`, 'mine\n');
  await place.git('add', '--', `person/${tag}.txt`);
  await place.git('commit', '-q', '--no-verify', '-m', `person: ${tag}`, '--', `person/${tag}.txt`);
  await remember(place);
}

async function sideBranch({ git, outside }: Place, tag: number): Promise<void> {
  const message = `${outside}/message-${tag}`;
  await writeFile(message, 'person: beside\n');
  const made = await git('commit-tree', '-p', 'main', '-F', message, 'main^{tree}');
  await git('update-ref', `refs/heads/side-${tag}`, made);
}

/** An amended commit replaces what was remembered before it. */
async function remember({ git, outside }: Place): Promise<void> {
  await appendFile(`${outside}/person`, `${await git('rev-parse', 'HEAD')}\n`);
}
