import { describe, expect, test } from 'vitest';
import type { Merge } from '../../streams/index.ts';
import { mergeLines } from './merge-lines.ts';

const check = { command: 'npm test', exitCode: 1, timedOut: false, durationMs: 1, tail: 'boom\u001b[2J', ok: false };

function linesOf(outcome: Merge['outcome'], fields: Partial<Merge> = {}): string {
  const merge = {
    stream: 'PRD-3',
    worktree: true,
    branch: 'ralph/prd-3',
    into: 'main',
    head: 'h',
    base: 'b',
    commits: 2,
  };
  return mergeLines({ ...merge, ...fields, outcome }).join('\n');
}

describe('what became of a merge', () => {
  test('that was made names the checks, and what is next', () => {
    const outcome = {
      kind: 'merged',
      how: 'merge-commit',
      commit: 'c'.repeat(40),
      made: [],
      notes: [],
      undo: { ref: 'refs/ralph/before-finish/main', root: null },
      checks: [{ ...check, ok: true }],
    } as const;
    expect(linesOf(outcome)).toMatch(/2 commits, as a merge commit \(c{12}\)\n.*npm test\n.*ralph stream remove 3/);
    const checks = [check, { ...check, command: 'lint', ok: true }];
    expect(linesOf({ ...outcome, checks })).toMatch(/merged tree: lint\nwarning: fails as before the loop: npm test\n/);
    expect(linesOf({ ...outcome, checks: [] }, { worktree: false })).toMatch(
      /warning: no checks were run on it: add some to verifyCommands.*\nnext: git switch main && git push\nundo: git branch -f main refs\/ralph\/before-finish\/main$/,
    );
  });

  test('that was made before says how to undo it, where that is known: the one before may have been killed', () => {
    const undo = { ref: 'refs/ralph/before-finish/main', root: '/project' };
    expect(linesOf({ kind: 'already', undo })).toMatch(/nothing to merge\nundo: git -C \/project reset --keep refs/);
    expect(linesOf({ kind: 'already' })).not.toContain('undo');
  });

  test('with conflicts shows the way out as it is typed', () => {
    const outcome = {
      kind: 'conflict',
      paths: ['a b.txt', 'evil\u001b[31m\n.txt'],
      root: null,
      backlog: false,
    } as const;
    const said = linesOf(outcome, { into: "it's" });
    expect(said).toContain("git switch ralph/prd-3 && git merge 'it'\\''s'");
    expect(said).toContain('ralph stream merge 3');
    expect(said).not.toContain('\u001b');
    expect(linesOf(outcome, { stream: 'shop', worktree: false })).toMatch(/then: ralph stream merge$/);
  });

  test('with conflicts names the folder to type in, and says when the backlog is among them', () => {
    const outcome = { kind: 'conflict', paths: ['t'], root: '/projects/my app', backlog: true } as const;
    expect(linesOf(outcome)).toContain("cd '/projects/my app' && git merge main");
    expect(linesOf(outcome)).toContain('The backlog was changed on main while its stream worked');
    expect(linesOf({ ...outcome, backlog: false })).not.toContain('backlog');
  });

  test('with files in the way says how to put them aside', () => {
    const outcome = { kind: 'in-the-way', root: '/project', paths: ['a.txt', "it's"] } as const;
    expect(linesOf(outcome)).toContain("git -C /project stash push -a -- a.txt 'it'\\''s'");
  });

  test('with a red check shows its end, and whether it was red before', () => {
    const red = {
      kind: 'red',
      checks: [check, { ...check, command: 'lint', timedOut: true }],
      redBefore: ['npm test'],
    } as const;
    expect(linesOf(red)).toMatch(/npm test \(exit 1; it also fails without the merge\)\n {4}boom\n/);
    expect(linesOf(red)).toContain('lint (took longer than checks.timeout)');
    expect(linesOf(red)).not.toContain('\u001b');
    expect(linesOf(red)).toContain('would make 1 check fail');
  });

  test('says that the work broke nothing where every red check was red before', () => {
    const said = linesOf({ kind: 'red', checks: [check], redBefore: ['npm test'] });
    expect(said).toContain('not merged: 1 check fails on main, with ralph/prd-3 and without it\n');
    expect(said).toContain('Fix it on main, or merge anyway: ralph stream merge 3 --no-checks');
  });

  test('names at most thirty files', () => {
    const paths = Array.from({ length: 40 }, (_, n) => `${n}.txt`);
    expect(linesOf({ kind: 'in-the-way', root: '/project', paths })).toMatch(/ 29\.txt\n {2}and 10 more\n/);
  });
});
