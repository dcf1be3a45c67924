import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  absolute,
  gitState,
  makeRepository,
  type Repository,
  treeEntries,
  workTree,
} from '../../../test/support/git-repository.ts';

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
const ignored = (path: string) => path.split('/').some((part) => part === '.env' || part.endsWith('.log'));

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

type Tree = ReadonlyMap<string, string>;

/** What a rollback answers for: everything but FIFOs, files that are ignored and not tracked, and folders that hold (or held) only those. */
function answeredFor(tree: Tree, other: Tree, tracked: ReadonlySet<string>): Tree {
  const isFolder = (path: string, from: Tree) => from.get(path)?.startsWith('dir') ?? false;
  const free = (path: string) =>
    (ignored(path) && !tracked.has(path)) || tree.get(path) === 'special' || other.get(path) === 'special';
  const holds = (folder: string, from: Tree, judge: (path: string) => boolean) =>
    [...from.keys()].some((path) => path.startsWith(`${folder}/`) && !isFolder(path, from) && judge(path));
  const counts = (path: string) => {
    if (!isFolder(path, tree)) return tree.get(path) !== 'special' && !(ignored(path) && !tracked.has(path));
    if (holds(path, tree, (inner) => !free(inner))) return true;
    return !ignored(path) && !holds(path, tree, free) && !holds(path, other, free);
  };
  return new Map([...tree].filter(([path]) => counts(path)));
}

function insideNested(path: string, tree: Tree): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => tree.get([...parts.slice(0, at), '.git'].join('/'))?.startsWith('dir'));
}

async function trial(
  userChanges: readonly Change[],
  commitAfter: number,
  userCommand: readonly string[],
  later: readonly Change[],
  agentChanges: readonly AgentChange[],
): Promise<void> {
  const repo = await makeRepository({
    '.gitignore': IGNORE,
    'x.txt': 'x\n',
    'dir/a': 'a\n',
    'dir/c d': 'cd\n',
    '-d/-b': 'b\n',
  });
  for (const [at, step] of userChanges.entries()) {
    applyChange(repo, step);
    if (at === commitAfter) attempt(() => repo.sh('git add -A && git commit -qm second'));
  }
  attempt(() => repo.run(...userCommand));
  for (const step of later) applyChange(repo, step);

  const checkpoint = await repo.git.checkpoint('main');
  const [tree, state] = [workTree(repo.root), gitState(repo)];
  const tracked = new Set(repo.run('ls-files', '-z').split('\0'));
  for (const step of agentChanges) applyAgentChange(repo, step);
  const left = workTree(repo.root);

  const after = await repo.git.after(checkpoint);
  await repo.git.rescue({
    run: 'r',
    iteration: 1,
    tree: after.tree,
    parents: [checkpoint.head, after.head],
    subject: 'x',
    date: 1_700_000_000_000,
  });
  await repo.git.rollback(checkpoint);

  const back = workTree(repo.root);
  expect(Object.fromEntries(answeredFor(back, tree, tracked))).toEqual(
    Object.fromEntries(answeredFor(tree, back, tracked)),
  );
  expect(gitState(repo)).toEqual(state);
  for (const [path, entry] of left)
    if (ignored(path) && tree.get(path) === entry && entry.startsWith('file'))
      expect([path, back.get(path)]).toEqual([path, entry]);

  const kept = [checkpoint.tree, ...(await repo.git.rescues()).map(({ commit }) => commit)].map((id) =>
    treeEntries(repo, id),
  );
  for (const [path, entry] of left) {
    const id = entry.startsWith('file') ? entry.split(' ')[2] : undefined;
    if (id === undefined || ignored(path) || insideNested(path, left)) continue;
    expect([path, kept.some((entries) => entries.get(path) === id)]).toEqual([path, true]);
  }
  // Again, from where it is: nothing moves.
  await repo.git.rollback(checkpoint);
  expect(workTree(repo.root)).toEqual(back);
  expect(gitState(repo)).toEqual(state);
}

test('whatever the user had and whatever the agent did, a rollback brings everything back and a rescue holds what was there', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 10 }),
      fc.nat(10),
      userGit,
      fc.array(change, { maxLength: 5 }),
      fc.array(agentChange, { minLength: 1, maxLength: 12 }),
      trial,
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 10), endOnFailure: !process.env.PROPERTY_SHRINK },
  );
});
