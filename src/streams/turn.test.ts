import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeLoopProject } from '../../test/support/loop-project.ts';
import { command } from '../adapters/agents/command/adapter.ts';
import { noIsolation } from '../adapters/isolation/choose.ts';
import { makeRoomPlace } from '../adapters/workspace/rooms.ts';
import type { OpenRun } from './set-up.ts';
import { takeTurn } from './turn.ts';

/** Everything that a turn needs besides its work tree. */
function opening(onClose = () => {}): OpenRun {
  return async ({ workspace, git }) => ({
    ...{ workspace, agents: [command], isolation: noIsolation(), checksIsolation: noIsolation() },
    ...{ isolationInstead: [], planted: [], notices: [], see: () => {}, close: async () => {} },
    room: {
      place: await makeRoomPlace({ XDG_CACHE_HOME: dirname(git.repo.root) }, git.repo),
      isolation: noIsolation(),
    },
    openControl: async () => ({
      ...{ url: 'http://127.0.0.1:9', close: async () => onClose() },
      admit: () => ({ token: 'none', revoke: () => {} }),
    }),
  });
}

function project() {
  const one = makeLoopProject(1);
  onTestFinished(() => one.remove());
  const settings = JSON.parse(one.git('show', 'HEAD:ralph.config.json'));
  return (change: object, openRun: OpenRun) => {
    const text = JSON.stringify({ ...settings, ...change });
    one.write('ralph.config.json', text);
    one.git('commit', '-qam', text);
    const { root } = one;
    const env = { PATH: process.env['PATH'], HOME: dirname(root), RALPH_TRUST: '1' };
    const left = { costUsd: null, tokens: null };
    const { signal } = new AbortController();
    return takeTurn({ root, specDir: 'ralph', flags: {}, left, openRun, env, signal, onEvent: () => {} });
  };
}

test('after a run that ended by an error the next turn reads the settings again', async () => {
  const turn = project();
  const green = (check: string) => turn({ requireGreen: true, verifyCommands: [check] }, opening());
  await expect(green('exit 1')).rejects.toThrow('checks fail');
  expect(await green('exit 0')).toMatchObject({ outcome: { kind: 'done', reason: 'complete' } });
});

test('a turn whose clean room cannot be made leaves no control server behind', async () => {
  let isOpen = true;
  const openRun = opening(() => {
    isOpen = false;
  });
  await expect(project()({ checks: { copy: ['missing'] } }, openRun)).rejects.toThrow('checks.copy names missing');
  expect(isOpen).toBe(false);
});
