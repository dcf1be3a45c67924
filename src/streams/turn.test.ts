import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeLoopProject } from '../../test/support/loop-project.ts';
import { command } from '../adapters/agents/command/adapter.ts';
import { noIsolation } from '../adapters/isolation/choose.ts';
import type { OpenRun } from './set-up.ts';
import { takeTurn } from './turn.ts';

/** Everything that a turn needs besides its work tree; nothing is reached by anyone. */
const openRun: OpenRun = async ({ workspace }) => ({
  ...{ workspace, agents: [command], isolation: noIsolation(), checksIsolation: noIsolation(), room: null },
  ...{ isolationInstead: [], planted: [], notices: [], see: () => {}, close: async () => {} },
  openControl: async () => ({
    ...{ url: 'http://127.0.0.1:9', publish: () => {}, close: async () => {} },
    admit: () => ({ token: 'none', revoke: () => {} }),
  }),
});

test('after a run that ended by an error the next turn reads the settings again', async () => {
  const one = makeLoopProject(1);
  onTestFinished(() => one.remove());
  const { root } = one;
  const settings = JSON.parse(one.git('show', 'HEAD:ralph.config.json'));
  const turn = (check: string) => {
    one.write('ralph.config.json', JSON.stringify({ ...settings, requireGreen: true, verifyCommands: [check] }));
    one.git('commit', '-qam', check);
    const env = { PATH: process.env['PATH'], HOME: dirname(root), RALPH_TRUST: '1' };
    const left = { costUsd: null, tokens: null };
    const { signal } = new AbortController();
    return takeTurn({ root, specDir: 'ralph', flags: {}, left, openRun, env, signal, onEvent: () => {} });
  };
  await expect(turn('exit 1')).rejects.toThrow('checks fail');
  expect(await turn('exit 0')).toMatchObject({ outcome: { kind: 'done', reason: 'complete' } });
});
