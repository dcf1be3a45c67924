import { readFileSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { DILIGENT, makeLoopProject } from '../../../test/support/loop-project.ts';
import type { RunRecord } from '../../contracts/index.ts';
import { type RunContext, saveRecord } from '../context.ts';
import { guardState } from './trust.ts';

test('an agent that takes away the rights to the state of the run does not end it', async () => {
  const one = makeLoopProject(1, `${DILIGENT}; chmod 0 .git/ralph/*`);
  onTestFinished(() => one.remove());
  expect(await one.loop({ request: { turn: false } })).toMatchObject({ summary: { reason: 'complete' } });
  const modeOf = (name: string) => statSync(`${one.root}/.git/ralph/${name}`).mode & 0o777;
  expect(['ledger.jsonl', 'lock', 'journal'].map(modeOf)).toEqual([0o600, 0o600, 0o700]);
});

test('a record that the loop itself is just writing was changed by no agent, and the last of two writes stays', async () => {
  const { git } = await makeRepository();
  const some = { git, ledger: [], remembered: [], gone: [], saving: null };
  const context = { ...some, record: { run: 'r' } as RunRecord } as unknown as RunContext;
  await saveRecord(context);
  const guard = await guardState(context);
  const saves = [1, 2].map((maxIterations) => saveRecord(context, { maxIterations }));
  expect(await guard.putBack()).toEqual([]);
  await Promise.all(saves);
  expect(JSON.parse(readFileSync(`${git.repo.stateDir}/run.json`, 'utf8'))).toMatchObject({ maxIterations: 2 });
});
