import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../test/support/git-repository.ts';
import { appendLedger, writeRunRecord } from '../adapters/workspace/index.ts';
import { type LedgerIteration, RUN_RECORD_VERSION } from '../contracts/index.ts';
import { aLine } from '../rules/safeguards/ledger.fixture.ts';
import { usedByOthers } from './facts.ts';

/** Three work trees, each with a state folder of its own. */
async function project() {
  const { git, root } = await makeRepository();
  const roots = ['PRD-1', 'PRD-2'].map((name) => join(root, '..', name));
  for (const path of roots) await git.addWorktree({ path, branch: null, from: 'HEAD' });
  const [main, one, two] = (await git.worktrees()).map(({ root: at, gitDir }) => ({
    root: at,
    dir: `${gitDir}/ralph`,
  }));
  const ledger = async (dir: string, ...lines: readonly LedgerIteration[]) => {
    for (const line of lines) await appendLedger(dir, line);
  };
  return { git, main: main!, one: one!, two: two!, ledger };
}

const record = (dir: string, run: string, isOpen: boolean) =>
  writeRunRecord(dir, {
    version: RUN_RECORD_VERSION,
    run,
    startedAt: 0,
    host: 'a',
    pid: 1,
    specDir: '.',
    baseline: null,
    maxIterations: 1,
    limits: { maxIterations: 1 },
    ended: isOpen ? null : { reason: 'complete', at: 1 },
  } as never);

const NOW = Date.now();
const line = (run: string, iteration: number, costUsd: number, more: object = {}): LedgerIteration =>
  aLine({ run, iteration, costUsd, startedAt: NOW, calls: [NOW - iteration], ...more });

test('what a lane has from its run, and what its run has from it, counts once', async () => {
  const { git, main, one, ledger } = await project();
  const before = line('run', 1, 1);
  await record(main.dir, 'run', true);
  await record(one.dir, 'lane', true);
  await ledger(one.dir, before, line('lane', 2, 2), line('lane', 3, 4));
  await ledger(main.dir, before, line('run', 2, 2, { lane: { run: 'lane', iteration: 2 } }));
  const look = await usedByOthers([git], new Set());
  expect(await look()).toEqual({ costUsd: 7, tokens: 0, calls: expect.toSatisfy((calls) => calls.length === 3) });
  await record(main.dir, 'run', false);
  expect((await look()).costUsd).toBe(4);
});

test('a story that did not fit is not free', async () => {
  const { git, main, one, ledger } = await project();
  const mark = { run: 'lane', iteration: 2 };
  await record(main.dir, 'run', true);
  await ledger(one.dir, line('lane', 2, 2));
  await ledger(main.dir, line('run', 2, 2, { lane: mark }), line('run', 3, 0, { lane: mark, calls: [] }));
  expect(await (await usedByOthers([git], new Set()))()).toMatchObject({ costUsd: 2, calls: [NOW - 2] });
});

test('of its own streams a supervisor counts what their open runs used before it came, and that once', async () => {
  const { git, one, two, ledger } = await project();
  await record(one.dir, 'one', true);
  await record(two.dir, 'two', false);
  await ledger(one.dir, line('one', 1, 1));
  await ledger(two.dir, line('two', 1, 10));
  const look = await usedByOthers([git], new Set([one.root, two.root]));
  await ledger(one.dir, line('one', 2, 100));
  const used = await look();
  expect(used.costUsd).toBe(1);
  expect(used.calls).toHaveLength(2);
  expect((await (await usedByOthers([git], new Set([one.root, two.root])))()).costUsd).toBe(101);
});
