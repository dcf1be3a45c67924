import { describe, expect, test } from 'vitest';
import { guardContext } from '../../../../test/support/guard-context.ts';
import { judgeCommand } from '../judge-command.ts';

const STREAM = '/projects/app/.ralph/worktrees/PRD-1';
const inStream = guardContext({ cwd: STREAM, root: STREAM });
const ruleOf = (command: string, context = inStream) => judgeCommand(command, context).rule;

describe('an agent of a stream', () => {
  test.each([
    ['echo x > ../PRD-2/src/a.ts', 'streams/files'],
    ['echo x >> ../../../src/a.ts', 'streams/files'],
    ['rm -rf ../PRD-2', 'streams/files'],
    ['rm -f ../PRD-[0-9]/a.ts', 'streams/files'],
    ['mv ../PRD-2/a.ts src/', 'streams/files'],
    ['bash -c "cd ..; cp PRD-1/a.ts PRD-2/"', 'streams/files'],
    ["python3 -c \"open('../PRD-2/x', 'w').write('1')\"", 'streams/files'],
    ['find ../PRD-2 -name "*.ts" -delete', 'streams/files'],
    ['git init ../PRD-3', 'streams/files'],
    ['cd ../PRD-2 && git commit -am x', 'streams/elsewhere'],
    ['git -C ../PRD-2 reset --soft HEAD~1', 'streams/elsewhere'],
    ['cd ../../.. && npm install', 'streams/elsewhere'],
    ['GIT_DIR=../../../.git git commit -m x', 'streams/elsewhere'],
    ['export GIT_WORK_TREE=/projects/app; git add .', 'streams/elsewhere'],
    ['RALPH_ROOT=../PRD-2 sh -c "true"', 'streams/elsewhere'],
    ['git switch ralph/prd-2', 'streams/branches'],
    ['git cherry-pick ralph/prd-2~1', 'streams/branches'],
    ['git cherry-pick -n main..origin/ralph/prd-2', 'streams/branches'],
    ['git rebase refs/heads/ralph/prd-2', 'streams/branches'],
    ['git reset ralph/prd-2', 'streams/branches'],
    ['git pull origin ralph/prd-2', 'streams/branches'],
    ['git format-patch main..ralph/prd-2 --stdout | git am', 'streams/branches'],
    ['git pull . ralph/prd-2', 'streams/branches'],
  ])('is denied: %s', (command, rule) => expect(ruleOf(command)).toBe(rule));

  test.each([
    'cat ../PRD-2/src/a.ts',
    'cp ../PRD-2/src/a.ts src/b.ts',
    'git -C ../PRD-2 log --oneline -3',
    'cd ../PRD-2 && git status && cat README.md',
    'git diff ralph/prd-2 -- src',
    'git checkout ralph/prd-2 -- src/a.ts',
    'git format-patch main..ralph/prd-2',
    'git reset ralph/prd-2 -- src/a.ts',
    'git rebase main',
    'git cherry-pick ralph/prd-1~1 abc123',
    'git pull origin ralph/prd-1',
    'git merge-tree main ralph/prd-2',
    'cd src && npm test && cd ..',
    'rm -rf node_modules',
    `make -C ${STREAM}/packages/api`,
    'git merge main',
    'git commit -am x',
  ])('may: %s', (command) => expect(ruleOf(command)).toBeNull());
});

describe('an agent in the project itself', () => {
  const context = guardContext();
  test.each([
    'rm -rf .ralph/worktrees',
    'rm -rf .ralph',
    'mv .ralph old',
    'rm -r .ralph/*/PRD-2',
    'tee .git/worktrees/PRD-2/HEAD',
  ])('is denied: %s', (command) => expect(judgeCommand(command, context).decision).toBe('block'));

  test('may take in its own branch as the remote has it, and no commits of a stream', () => {
    expect(ruleOf('git pull origin ralph/prd-2', context)).toBeNull();
    expect(ruleOf('git cherry-pick ralph/prd-2', context)).toBe('streams/branches');
  });

  test.each(['ls .ralph/worktrees', 'rm -rf .ralph-cache', 'rm -rf worktrees', 'git worktree list --porcelain'])(
    'may: %s',
    (command) => expect(ruleOf(command, context)).toBeNull(),
  );
});

test('a person beside an agent decides for themselves', () => {
  const context = guardContext({ profile: 'interactive', cwd: STREAM, root: STREAM });
  expect(judgeCommand('cd ../PRD-2 && npm test', context).decision).toBe('allow');
});
