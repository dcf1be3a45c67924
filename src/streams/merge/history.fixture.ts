import { makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { defaultConfig } from '../../adapters/workspace/index.ts';
import type { Story } from '../../contracts/index.ts';
import type { BacklogDocument } from '../../rules/backlog/index.ts';
import { cleanLine } from './clean.ts';

/** A repository on `work`, which began at `main`, with a spec folder that `main` does not have. */
export interface History extends Repository {
  /** The loop's commit on a story; with null a person's. */
  commit(story: string | null, files: Readonly<Record<string, string | null>>, subject?: string): string;
  /** A commit on `main`; the checkout stands on `work` afterwards. */
  onMain(files: Readonly<Record<string, string | null>>): void;
  clean(how?: { readonly squash?: boolean; readonly stories?: readonly Story[] }): ReturnType<typeof cleanLine>;
  /** Files of a commit, without ralph's, with their bytes' ids. */
  files(commit: string): string;
}

export async function makeHistory(files: Readonly<Record<string, string>>): Promise<History> {
  const repo = await makeRepository(files);
  repo.run('switch', '-q', '-c', 'work');
  let at = 0;
  const save = (message: readonly string[], changes: Readonly<Record<string, string | null>>) => {
    for (const [path, text] of Object.entries(changes))
      if (text === null) repo.sh(`rm -rf '${path}'`);
      else repo.write(path, text);
    repo.run('add', '-A');
    repo.run('commit', '-q', '--allow-empty', ...message.flatMap((part) => ['-m', part]));
    return repo.run('rev-parse', 'HEAD').trim();
  };
  return {
    ...repo,
    commit(story, changes, subject = story === null ? `by hand ${at}` : `feat(${story}): work ${at}`) {
      at += 1;
      const trailers = `Ralph-Run: r\nRalph-Iteration: ${at}\nRalph-Story: ${story}`;
      const spec = story === null ? {} : { 'ralph/tasks.json': `${at}\n`, '.ralph/.gitignore': `# ${at}\n` };
      return save(story === null ? [subject] : [subject, trailers], { ...spec, ...changes });
    },
    onMain(changes) {
      repo.run('switch', '-q', 'main');
      save(['on main'], changes);
      repo.run('switch', '-q', 'work');
    },
    clean({ squash = false, stories = [] } = {}) {
      const [head, base] = ['work', 'main'].map((name) => repo.run('rev-parse', name).trim());
      const backlog = {
        format: 'tasks-json',
        project: 'shop',
        branchName: null,
        description: '',
        verifyCommands: [],
      } as const;
      const document = { reviewsText: null, backlog: { ...backlog, stories } } as unknown as BacklogDocument;
      const sides = { branch: 'work', into: 'main', head: head ?? '', base: base ?? '' };
      return cleanLine({ git: repo.git, sides, config: defaultConfig({}), document, own: ['ralph', '.ralph'], squash });
    },
    files: (commit) =>
      repo
        .run('ls-tree', '-r', commit)
        .split('\n')
        .filter((entry) => !/\t\.?ralph\//.test(entry))
        .join('\n'),
  };
}
