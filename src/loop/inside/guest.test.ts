import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempTree } from '../../adapters/workspace/temp-tree.fixture.ts';
import { killFamily } from '../../platform/index.ts';
import { agentTree } from './guest.ts';

test.runIf(process.platform === 'linux')('an agent inside is suspended while the loop looks at its tree', async () => {
  const root = await tempTree();
  const run = `still-${process.pid}`;
  const env = { ...process.env, RALPH_RUN_ID: run };
  spawn('sh', ['-c', 'while :; do echo x >>ticks; done'], { cwd: root, env, stdio: 'ignore', detached: true });
  const ticks = () => readFileSync(`${root}/ticks`).length;
  const seen: number[] = [];
  const after = async () => {
    seen.push(ticks());
    await wait(50);
    seen.push(ticks());
    return {};
  };
  const git = { repo: { root, stateDir: `${root}/state` }, after, adoptGuest: async () => null };
  const tree = agentTree({ git, isolation: { name: 'bwrap' }, emit: () => {} } as never);
  try {
    await expect.poll(() => ticks()).toBeGreaterThan(0);
    await tree.soFar({ run, iteration: 1, startedAt: 0, checkpoint: {} } as never);
    expect(seen[1]).toBe(seen[0]);
    await expect.poll(() => ticks()).toBeGreaterThan(seen[1] ?? 0);
  } finally {
    await killFamily({ marker: run }, 0);
  }
});
