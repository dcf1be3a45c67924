import { describe, expect, it } from 'vitest';
import { isFleetBranch, readTask } from './task.ts';

const TASK = { version: 1, submission: 's1', branch: 'ralph/prd-1', specDir: '.ralph/PRD-1', maxIterations: null };

describe('isFleetBranch', () => {
  it.each(['ralph/prd-1', 'ralph/login', 'ralph/team/login.v2'])('knows %s as a branch of a stream', (branch) => {
    expect(isFleetBranch(branch)).toBe(true);
  });

  it.each([
    'main',
    'ralph',
    'ralph/',
    'ralph/../main',
    'ralph/a..b',
    'ralph/-f',
    'ralph/a b',
    'ralph/a.lock',
    'x/ralph/a',
  ])('moves no branch %j', (branch) => {
    expect(isFleetBranch(branch)).toBe(false);
  });
});

describe('readTask', () => {
  it('is the task as it was submitted', () => {
    expect(readTask('PRD-1', TASK)).toEqual(TASK);
    expect(readTask('shop', { ...TASK, specDir: 'ralph', maxIterations: 5 })).toMatchObject({ maxIterations: 5 });
    expect(readTask('shop', { ...TASK, specDir: '.' })).toMatchObject({ specDir: '.' });
  });

  it('has the files of a spec folder that git ignores', () => {
    const spec = { files: { '.ralph/PRD-1/tasks.json': '{}' }, from: '' };
    expect(readTask('PRD-1', { ...TASK, spec })).toEqual({ ...TASK, spec });
  });

  it.each([
    null,
    'PRD-1',
    { ...TASK, version: 2 },
    { ...TASK, submission: '' },
    { ...TASK, branch: 'main' },
    { ...TASK, specDir: '../elsewhere' },
    { ...TASK, specDir: 'ralph/../..' },
    { ...TASK, specDir: '/etc' },
    { ...TASK, maxIterations: 0 },
    { ...TASK, maxIterations: '5' },
    ...[null, {}, { files: {}, from: '' }, { files: { '.ralph/PRD-1/x': 1 }, from: '' }].map((spec) => ({
      ...TASK,
      spec,
    })),
    ...['../x', '.ralph/PRD-1/../x', 'src/x', '.ralph/PRD-1/.git/config'].map((path) => ({
      ...TASK,
      spec: { files: { [path]: '' }, from: '' },
    })),
  ])('refuses %j, naming the stream', (task) => {
    expect(() => readTask('PRD-1', task)).toThrow(/stream PRD-1/);
  });
});
