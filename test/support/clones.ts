import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { A_USER, collect, type Ended, easySteps, environmentIn, RALPH } from './project.ts';
import { tasksText } from './tasks.ts';

/** A folder `shop` with clones of two local bare repositories and one backlog for both. */
export interface Shop {
  readonly root: string;
  ralph(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** `ralph stream start` with the scripted agent. */
  start(...args: readonly string[]): Promise<Ended>;
  git(repository: 'web' | 'api', ...args: readonly string[]): string;
  /** `git log` of a branch, with the names of others. */
  log(repository: 'web' | 'api', branch: string): string;
  read(path: string): string;
  write(path: string, text: string): void;
  /** Keeps all of it as it is now: `back` puts it there again once it was removed, `drop` removes what is kept. */
  keep(): { readonly back: () => void; readonly drop: () => void };
  remove(): void;
}

/** Two stories for `api`, one of them after the one for `web`, which waits for the first. */
const STORIES = [
  { id: 'US-001', title: 'answer /price', repo: 'api' },
  { id: 'US-002', title: 'show the price', repo: 'web', dependsOn: ['US-001'] },
  { id: 'US-003', title: 'count the views', repo: 'api', dependsOn: ['US-002'] },
];

export function makeShop(): Shop {
  const base = mkdtempSync(join(tmpdir(), 'ralph-clones-'));
  const root = join(base, 'shop');
  const scenario = join(base, 'scenario.yaml');
  const run = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd,
      env: environmentIn(base),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const write: Shop['write'] = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const ralph: Shop['ralph'] = (args, env) =>
    collect(
      spawn(process.execPath, [RALPH, ...args], {
        cwd: root,
        env: environmentIn(base, env),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  mkdirSync(root);
  writeFileSync(join(base, '.gitconfig'), A_USER);
  for (const name of ['web', 'api']) {
    run(base, 'init', '-q', '--bare', '-b', 'main', `${name}.git`);
    run(root, 'clone', '-q', join(base, `${name}.git`), name);
    write(`${name}/README.md`, `# ${name}\n`);
    write(`${name}/ralph.config.json`, JSON.stringify({ verifyCommands: ['true'] }));
    run(join(root, name), 'add', '-A');
    run(join(root, name), 'commit', '-q', '-m', `${name} begins`);
    run(join(root, name), 'push', '-q', 'origin', 'HEAD:main');
  }
  write('ralph/tasks.json', tasksText({ branchName: 'ralph/prices', stories: STORIES }));
  write('ralph/prd.md', '# Prices\n');
  writeFileSync(scenario, stringify({ version: 1, steps: STORIES.flatMap(({ id }) => easySteps(id)) }));
  return {
    root,
    ralph,
    start: (...args) => ralph(['stream', 'start', ...args, '--agent', 'scripted', '--scenario', scenario]),
    git: (repository, ...args) => run(join(root, repository), ...args),
    log: (repository, branch) => run(join(root, repository), 'log', '--format=%s%d', branch),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    write,
    keep() {
      const copy = mkdtempSync(join(tmpdir(), 'ralph-kept-'));
      execFileSync('cp', ['-a', `${base}/.`, copy]);
      return {
        back() {
          mkdirSync(base);
          execFileSync('cp', ['-a', `${copy}/.`, base]);
        },
        drop: () => rmSync(copy, { recursive: true }),
      };
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
