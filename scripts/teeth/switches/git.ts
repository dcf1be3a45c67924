import type { Switch } from '../switch.ts';

const EXAMINE = 'src/commands/sandbox/examine.ts';

/** The agent works on the real git dir. */
const NO_GUEST: Switch['edits'] = [
  {
    file: EXAMINE,
    from: 'return covers ? (await git.openGuest(NAME)).mounts : [];',
    to: 'return [];',
  },
];

/** After an agent the host looks at the tree as a person would, by plain git. */
const PLAIN_GIT: Switch['edits'] = [
  ...NO_GUEST,
  {
    file: EXAMINE,
    from: "import { dirname, join } from 'node:path';\n",
    to: "import { execSync } from 'node:child_process';\nimport { dirname, join } from 'node:path';\n",
  },
  {
    file: EXAMINE,
    from: '      if (trust !== null) await git.restoreTrust(trust);\n',
    to: `      const look = (line: string) => execSync(line + ' || true', { cwd: root, stdio: 'ignore', timeout: 5000 });
      for (const line of ['git status', 'git diff HEAD', 'git add -A', 'git -c user.name=u -c user.email=u@x commit -qm x'])
        look(line);
      for (const line of ['git log -p -2', 'git -c protocol.ext.allow=always submodule update --init', 'git -C nested status'])
        look(line);
      if (look('true')) return;
`,
  },
];

/** What an agent leaves for git to run. */
export const GIT: readonly Switch[] = [
  {
    name: "a git of the loop's own",
    edits: PLAIN_GIT,
    oneByOne: true,
    battery: [
      ...['git-fsmonitor', 'git-hooks-path', 'git-hooks', 'git-filter', 'git-diff', 'git-alias', 'git-include'],
      ...['git-submodule'],
    ],
  },
  {
    name: 'a copy of the git dir inside',
    edits: NO_GUEST,
    oneByOne: true,
    battery: ['git-move', 'git-remove', 'git-objects', 'git-history', 'key-git-dir'],
  },
  {
    name: 'a repository of its own for a task of the lab',
    edits: [
      {
        file: 'src/adapters/git/task-repository.ts',
        from: `printf '%s\\n' "$2" | git --git-dir="$1" pack-objects -q --revs --stdout`,
        to: 'git --git-dir="$1" pack-objects -q --all --stdout </dev/null',
      },
    ],
    battery: ['task-future'],
  },
];
