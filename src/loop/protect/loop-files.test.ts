import { expect, test } from 'vitest';
import { isProtectedPath } from '../../rules/trust/index.ts';
import { isUnder, loopFiles, specPaths } from './loop-files.ts';

const workspace = {
  root: '/w',
  kind: 'prd' as const,
  specDir: '.ralph/PRD-2',
  prdNumber: 2,
  name: 'prd-2',
  backlog: { path: '.ralph/PRD-2/tasks.json', format: 'tasks-json' as const },
  prdPath: '.ralph/PRD-2/prd.md',
  progressPath: '.ralph/PRD-2/progress.md',
  promptPath: '.ralph/PRD-2/prompt.md',
  reviewsPath: '.ralph/PRD-2/reviews.json',
};

test('agents may write backlog and progress log, which are judged', () => {
  for (const path of [workspace.backlog.path, workspace.progressPath]) {
    expect(isProtectedPath(workspace, path)).toBe(false);
    expect(loopFiles(workspace)).toContain(path);
  }
});

test.each([
  workspace.prdPath,
  workspace.promptPath,
  workspace.reviewsPath,
  '.ralph-active',
  '.ralph/config.json',
  '.ralph/.gitignore',
  '.ralph/runs/r/events.jsonl',
  'ralph.config.json',
  'ralph.config.js',
])('%s is protected', (path) => {
  expect(isProtectedPath(workspace, path)).toBe(true);
});

test.each(['src/ralph.config.js', 'ralph.configs', 'prd.md', '.ralph/PRD-2/notes.md'])(
  '%s is work like any other',
  (path) => {
    expect(isProtectedPath(workspace, path)).toBe(false);
  },
);

test('the spec folder is told from folders whose names begin alike', () => {
  const spec = specPaths(workspace);
  expect(isUnder(spec, '.ralph/PRD-2/notes.md')).toBe(true);
  expect(isUnder(['ralph'], 'ralph-old/tasks.json')).toBe(false);
});
