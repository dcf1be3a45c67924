import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { absolute, makeRepository, type Repository } from './git-repository.ts';

/** Names that break naive programs; the last three are ignored by the .gitignore all begin with. */
const NAMES = [
  'a',
  '-b',
  'c d',
  `q'u"o`,
  'new\nline',
  'raw\udcff\udcfe',
  'ünï',
  'st*r',
  '[x]',
  '!bang',
  '#hash',
  'back\\slash',
  'tail ',
  'x.txt',
  'x.log',
  '.env',
  'cache.log',
];
const FOLDERS = ['', 'dir/', 'sp ace/', '-d/', 'deep/er/', 'raw\udcc3/'];
const IGNORE = '*.log\n.env\n';
/** By the rules every repository here begins with. */
export const ignored = (path: string) => path.split('/').some((part) => part === '.env' || part.endsWith('.log'));

const CONTENTS = [
  '',
  'text\n',
  'crlf\r\nlines\r\n',
  Buffer.from([0, 255, 1, 2, 13, 10]),
  'no newline',
  `${'long line\n'.repeat(2000)}`,
];

const path = fc
  .record({ folder: fc.constantFrom(...FOLDERS), name: fc.constantFrom(...NAMES) })
  .map(({ folder, name }) => folder + name);
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path,
      content: fc.nat(CONTENTS.length - 1),
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o644),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('removeFolder' as const),
      path: fc.constantFrom('dir', 'sp ace', '-d', 'deep', 'deep/er'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      path,
      target: fc.constantFrom('a', '../nowhere', '/', 'dir'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('emptyFolder' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('chmod' as const),
      path,
      mode: fc.constantFrom(0o600, 0o755, 0o644, 0o700),
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const userGit = fc.constantFrom(
  ['add', '-A'],
  ['add', '-N', '.'],
  ['reset', '-q'],
  ['rm', '-rq', '--cached', '--ignore-unmatch', 'dir'],
  ['add', '-f', '.'],
  ['commit', '-q', '-m', 'x', '--allow-empty'],
  ['checkout', '-q', '--detach'],
);
const agentGit = fc.constantFrom(
  ['add', '-A'],
  ['commit', '-q', '-a', '-m', 'agent', '--allow-empty'],
  ['reset', '-q', '--hard'],
  ['reset', '-q', '--hard', 'HEAD^'],
  ['checkout', '-q', '-b', 'side'],
  ['checkout', '-q', '--detach'],
  ['stash', '-q', '-u'],
  ['commit', '-q', '--amend', '-m', 'amended', '--allow-empty'],
  ['clean', '-fdq'],
  ['rm', '-rqf', '--ignore-unmatch', 'dir'],
  ['checkout', '-q', '--orphan', 'lone'],
);
const rules = fc.constantFrom('', `${IGNORE}!.env\n`, `${IGNORE}*.txt\na\n`, '*.txt\n', `${IGNORE}dir/\n`);
const agentChange = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 2, arbitrary: agentGit.map((args) => ({ kind: 'git' as const, args })) },
  { weight: 1, arbitrary: rules.map((text) => ({ kind: 'rules' as const, text })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nest' as const), path, commit: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fifo' as const), path }) },
);
type AgentChange = typeof agentChange extends fc.Arbitrary<infer T> ? T : never;

function clearWay(root: string, path: string): void {
  const parts = path.split('/');
  for (let end = 1; end < parts.length; end += 1) {
    const parent = absolute(root, parts.slice(0, end).join('/'));
    const stat = lstatSync(parent, { throwIfNoEntry: false });
    if (stat && !stat.isDirectory()) rmSync(parent);
  }
  mkdirSync(absolute(root, parts.slice(0, -1).join('/')), { recursive: true });
}

function applyChange(repo: Repository, step: Change): void {
  const full = absolute(repo.root, step.path);
  if (step.kind === 'write' || step.kind === 'link' || step.kind === 'emptyFolder') {
    clearWay(repo.root, step.path);
    removeAll(full);
  }
  if (step.kind === 'write') {
    writeFileSync(full, CONTENTS[step.content] ?? '');
    chmodSync(full, step.mode);
  } else if (step.kind === 'link') symlinkSync(step.target, full);
  else if (step.kind === 'emptyFolder') mkdirSync(full);
  else if (step.kind === 'chmod') {
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (stat?.isFile()) chmodSync(full, step.mode);
  } else removeAll(full);
}

/** rmSync does not take names that are not UTF-8 below a folder. */
function removeAll(full: Buffer): void {
  execFileSync('xargs', ['-0', 'rm', '-rf', '--'], { input: Buffer.concat([full, Buffer.of(0)]) });
}

function applyAgentChange(repo: Repository, step: AgentChange): void {
  if (step.kind === 'git') attempt(() => repo.run(...step.args));
  else if (step.kind === 'rules') repo.write('.gitignore', step.text);
  else if (step.kind === 'nest' || step.kind === 'fifo') {
    clearWay(repo.root, step.path);
    const full = absolute(repo.root, step.path);
    removeAll(full);
    if (step.kind === 'fifo') shellOn(full, 'mkfifo -- "$1"');
    else
      shellOn(
        full,
        `mkdir -- "$1" && cd -- "$1" && git init -q && echo inner >inner ${step.commit ? '&& git add inner && git commit -qm n' : ''}`,
        repo.env,
      );
  } else applyChange(repo, step);
}

/** Names that are not UTF-8 reach a program through standard input only. */
function shellOn(full: Buffer, script: string, env?: NodeJS.ProcessEnv): void {
  execFileSync('xargs', ['-0', 'sh', '-c', script, 'sh'], {
    input: Buffer.concat([full, Buffer.of(0)]),
    env: env ?? process.env,
  });
}

function attempt(action: () => unknown): void {
  try {
    action();
  } catch {
    // git refuses some of what random people and agents ask for; the state it leaves then is as good a test as any.
  }
}

export interface Story {
  readonly user: readonly Change[];
  /** The user commits after so many changes, if they come that far. */
  readonly commitAfter: number;
  readonly userCommand: readonly string[];
  readonly later: readonly Change[];
  readonly agent: readonly AgentChange[];
}

/** What a user did before a run, some of it committed or staged, and what an agent does then. */
export const story: fc.Arbitrary<Story> = fc.record({
  user: fc.array(change, { maxLength: 10 }),
  commitAfter: fc.nat(10),
  userCommand: userGit,
  later: fc.array(change, { maxLength: 5 }),
  agent: fc.array(agentChange, { minLength: 1, maxLength: 12 }),
});

/** A repository as the user of the story leaves it. */
export async function repositoryOf({ user, commitAfter, userCommand, later }: Story): Promise<Repository> {
  const files = { '.gitignore': IGNORE, 'x.txt': 'x\n', 'dir/a': 'a\n', 'dir/c d': 'cd\n', '-d/-b': 'b\n' };
  const repo = await makeRepository(files);
  for (const [at, step] of user.entries()) {
    applyChange(repo, step);
    if (at === commitAfter) attempt(() => repo.sh('git add -A && git commit -qm second'));
  }
  attempt(() => repo.run(...userCommand));
  for (const step of later) applyChange(repo, step);
  return repo;
}

/** Does what the agent of the story does. */
export function runAgent(repo: Repository, { agent }: Story): void {
  for (const step of agent) applyAgentChange(repo, step);
}
