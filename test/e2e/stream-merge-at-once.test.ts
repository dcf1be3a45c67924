// @module-tag long
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  backlogOf,
  checked,
  DONE,
  everything,
  GO,
  MARK,
  MERGE,
  marked,
  merged,
  onMain,
  project,
  work,
} from '../support/merge-project.ts';
import { processesOf } from '../support/torture/processes.ts';
import { until } from '../support/until.ts';

/* Merging streams while somebody else does something, or kills it. */

describe('at the same time', () => {
  test('a branch that was moved while the checks ran is merged into as it is then', async () => {
    await checked(`touch ${MARK}; while [ ! -e ${GO} ]; do sleep 0.05; done`);
    await work(1, { 'new.txt': 'x\n' });
    const { ended } = project.start([...MERGE, '1']);
    await until(marked);
    await onMain({ 'b.txt': 'meanwhile\n' });
    await writeFile(join(project.outside, 'go'), '');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('as a merge commit')]);
    expect(stderr).toContain('moved in the meantime');
    expect([await project.read('b.txt'), await project.read('new.txt')]).toEqual(['meanwhile\n', 'x\n']);
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('two merges queue, and the second sees what the first made', async () => {
    await checked('test ! -e one || test ! -e two', 'sleep 0.5');
    await onMain({ '.ralph/PRD-2/tasks.json': backlogOf(2, DONE, ['test ! -e one || test ! -e two']).text });
    await work(1, { one: '' });
    await work(2, { two: '' });
    const both = await Promise.all(['1', '2'].map((n) => project.ralph([...MERGE, n])));
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(both.map(({ stderr }) => stderr).join('')).toMatch(/waiting for `ralph stream merge PRD-[12]`/);
    const there = await project.git('ls-tree', '--name-only', 'main', 'one', 'two');
    expect(there.split('\n')).toHaveLength(1);
    expect(await project.git('status', '--porcelain')).toBe('');
  });
});

test('killed at any moment it leaves all of it or nothing, and the next makes it', async () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
  await onMain({ '.ralph/PRD-1/tasks.json': backlogOf(1, DONE, ['test -e many/0.txt']).text });
  await work(1, many);
  await onMain({ 'b.txt': 'went on\n' });
  const base = await project.git('rev-parse', 'main');
  const started = Date.now();
  await merged('1');
  const wholeMs = Date.now() - started;
  for (let kill = 0; kill < 8; kill += 1) {
    await project.git('reset', '-q', '--hard', base);
    const before = await everything();
    const { child, ended } = project.start([...MERGE, '1']);
    await new Promise((resolve) => setTimeout(resolve, (wholeMs * (2 + kill)) / 9.5));
    child.kill('SIGKILL');
    await ended;
    // A git that was under way comes to its end all the same.
    await vi.waitUntil(async () => (await processesOf(project.root)).length === 0, { timeout: 300_000 });
    // A merge that had moved files is brought to its end by the next one; before that, nothing may be lost.
    if ((await project.git('rev-parse', 'main')) === base && (await isClean())) {
      const { trees: _, status: __, ...rest } = (await everything()) as Record<string, unknown>;
      expect(before).toMatchObject(rest);
    }
    await merged('1');
    expect(await project.git('rev-list', '--count', `${base}..main`, '--merges')).toBe('1');
    expect(await isClean()).toBe(true);
    expect(await project.read('many/59.txt')).toBe('59\n');
  }
});

const isClean = async () => (await project.git('status', '--porcelain')) === '';
