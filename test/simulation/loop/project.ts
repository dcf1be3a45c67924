import { freshStories, storyIdAt, tasksText } from '../../support/tasks.ts';
import { Repository } from '../git/repository.ts';
import type { Machine } from '../machine/machine.ts';
import type { World } from './world.ts';

export const ROOT = '/project';
export const STATE = `${ROOT}/.git/ralph`;

/** A repository with a backlog on the simulated disk. @returns it, and contents that nobody may lose */
export function makeProject(machine: Machine, world: World): { repository: Repository; users: readonly string[] } {
  const { disk } = machine;
  disk.makeDir('/tmp', true);
  disk.makeDir(`${ROOT}/.git/info`, true);
  const repository = new Repository(machine, ROOT);
  const put = (path: string, text: string) => disk.putFile(`${ROOT}/${path}`, text);
  put('README.md', '# project\n');
  put('src/old.txt', 'old\n');
  put('ralph/tasks.json', backlogOf(world));
  put('ralph/prd.md', '# What is wanted\n');
  put('ralph/prompt.md', '{{STORY_BLOCK}}\n');
  const tree = repository.snapshot();
  const start = { tree, parents: [], subject: 'start', trailers: [], date: machine.time.now() };
  repository.refs.set('refs/heads/main', repository.objects.commit(start));
  const users = ['# project\n', 'old\n'];
  put('untracked.txt', 'of the user, in no commit\n');
  users.push('of the user, in no commit\n');
  if (world.settings.dirty === 'keep') {
    put('README.md', '# project\n\nchanged by the user\n');
    users.push('# project\n\nchanged by the user\n');
  }
  // What agents and the loop write into the git dir and the state folder may be lost in a power cut; git syncs its own.
  disk.volatile = (path) =>
    path.startsWith(STATE) || path.startsWith(`${ROOT}/.ralph`) || path.startsWith(`${ROOT}/ralph`);
  return { repository, users };
}

function backlogOf({ stories, chained, hasCheck }: World): string {
  const fresh = freshStories(stories);
  return tasksText({
    branchName: 'ralph/test',
    verifyCommands: hasCheck ? ['test ! -e src/broken.txt'] : [],
    stories: chained ? fresh.map((story, at) => ({ ...story, dependsOn: at > 0 ? [storyIdAt(at - 1)] : [] })) : fresh,
  });
}
