import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What a shape has at hand to bring a repository into its state. */
export interface Ground {
  readonly root: string;
  readonly outside: string;
  git(...args: readonly string[]): Promise<string>;
  write(path: string, content: string): Promise<void>;
}

interface Shape {
  /** Arguments that a run needs there. */
  readonly args?: readonly string[];
  /** A run is refused there (exit 2) until this fixes it. */
  readonly fix?: (ground: Ground) => Promise<unknown>;
  readonly bring: (ground: Ground) => Promise<unknown>;
}

const run = promisify(execFile);

/** States in which users leave repositories, beside the untracked and ignored files that every case has. */
export const SHAPES = {
  dirty: {
    args: ['--dirty=keep'],
    bring: async ({ git, write }) => {
      await write('docs/staged.md', 'staged\n');
      await git('add', 'docs/staged.md');
      await write('docs/staged.md', 'staged, then changed\n');
      await write('docs/changed.md', 'changed\n');
      await write('docs/new.md', 'new, staged\n');
      await git('add', 'docs/new.md');
    },
  },
  submodule: {
    bring: async ({ git, outside, write }) => {
      const origin = `${outside}/origin`;
      await git('init', '-q', '-b', 'main', origin);
      const name = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
      await git('-C', origin, ...name, 'commit', '-q', '--allow-empty', '-m', 'start');
      await git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
      await git('commit', '-q', '-m', 'submodule');
      await write('sub/dirt.txt', 'in the submodule\n');
    },
  },
  sparse: {
    bring: ({ git }) => git('sparse-checkout', 'set', '--no-cone', '/*', '!/far/'),
  },
  'detached HEAD': { bring: ({ git }) => git('checkout', '-q', '--detach') },
  autocrlf: {
    bring: async ({ git, write }) => {
      await git('config', 'core.autocrlf', 'true');
      await git('config', 'core.safecrlf', 'false');
      await write('docs/dos.txt', 'one\r\ntwo\r\n');
      await git('add', 'docs/dos.txt');
      await git('commit', '-q', '-m', 'line ends');
    },
  },
  hooks: {
    bring: async ({ root, git }) => {
      const folder = `${root}/${await git('rev-parse', '--git-common-dir')}`.replace(/^.*\/\//, '/');
      await mkdir(`${folder}/hooks`, { recursive: true });
      for (const name of ['pre-commit', 'commit-msg', 'post-checkout']) {
        await writeFile(`${folder}/hooks/${name}`, '#!/bin/sh\nexit 0\n');
        await chmod(`${folder}/hooks/${name}`, 0o755);
      }
    },
  },
  shallow: {
    bring: async ({ git }) => {
      await git('commit', '-q', '--allow-empty', '-m', 'more');
      const head = await git('rev-parse', 'HEAD');
      const dir = await git('rev-parse', '--absolute-git-dir');
      await writeFile(`${dir}/shallow`, `${head}\n`);
    },
  },
  stash: {
    bring: async ({ git, write }) => {
      await write('docs/changed.md', 'stashed\n');
      await git('stash', 'push', '-q');
    },
  },
  merging: {
    fix: ({ git }) => git('merge', '--abort'),
    bring: async ({ git, write }) => {
      await git('checkout', '-q', '-b', 'theirs');
      await write('docs/conflict.md', 'theirs\n');
      await git('add', 'docs/conflict.md');
      await git('commit', '-q', '-m', 'theirs');
      await git('checkout', '-q', '-');
      await write('docs/conflict.md', 'ours\n');
      await git('add', 'docs/conflict.md');
      await git('commit', '-q', '-m', 'ours');
      await git('merge', '-q', 'theirs').catch(() => {});
    },
  },
  rebasing: {
    fix: ({ git }) => git('rebase', '--abort'),
    bring: async ({ git, write }) => {
      await git('checkout', '-q', '-b', 'base');
      await write('docs/conflict.md', 'base\n');
      await git('add', 'docs/conflict.md');
      await git('commit', '-q', '-m', 'base');
      await git('checkout', '-q', '-');
      await write('docs/conflict.md', 'mine\n');
      await git('add', 'docs/conflict.md');
      await git('commit', '-q', '-m', 'mine');
      await git('rebase', '-q', 'base').catch(() => {});
    },
  },
  'odd files': {
    bring: async ({ root }) => {
      await mkdir(`${root}/mine`, { recursive: true });
      await run(
        'sh',
        [
          '-c',
          'mkfifo pipe; ln -s .. up; ln -s nowhere gone; ln -s b a; ln -s a b; mkdir -p empty/er; printf x > "$(printf \'n\\nl\')"',
        ],
        {
          cwd: `${root}/mine`,
        },
      );
    },
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof SHAPES;

export const SHAPE_NAMES = Object.keys(SHAPES) as readonly ShapeName[];

/** The facts of a shape, whatever it has of them. */
export const shapeOf = (name: ShapeName): Shape => SHAPES[name];
