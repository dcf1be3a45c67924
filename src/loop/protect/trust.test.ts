import { statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { DILIGENT, makeLoopProject } from '../../../test/support/loop-project.ts';

test('an agent that takes away the rights to the state of the run does not end it', async () => {
  const one = makeLoopProject(1, `${DILIGENT}; chmod 0 .git/ralph/*`);
  onTestFinished(() => one.remove());
  expect(await one.loop({ request: { turn: false } })).toMatchObject({ summary: { reason: 'complete' } });
  const modeOf = (name: string) => statSync(`${one.root}/.git/ralph/${name}`).mode & 0o777;
  expect(['ledger.jsonl', 'lock', 'journal'].map(modeOf)).toEqual([0o600, 0o600, 0o700]);
});
