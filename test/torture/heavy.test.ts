// @module-tag long
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { play } from '../support/torture/play.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const SEED = 20_260_101;

describe('an agent that is too much', () => {
  // 100,000 files take minutes on a busy machine: `npm run torture -- --only agent --sweep` has them.
  test('floods its output with 1 GB: the loop takes little memory, and every invariant holds', async () => {
    const { violations } = await play({
      version: 1,
      seed: SEED,
      stories: 1,
      shapes: [],
      faults: [{ kind: 'agent', does: 'floods its output with 1 GB' }],
    });
    expect(violations).toEqual([]);
  });
});

/** Small disks and read-only folders are mounts, in a namespace of their own. */
const mountable = await run('unshare', [
  ...(process.getuid?.() === 0 ? ['-m'] : ['-rm']),
  ...['mount', '-t', 'tmpfs', 'tmpfs', '/mnt'],
]).then(
  () => true,
  () => false,
);

describe('a disk that is full or read-only', () => {
  test.skipIf(!mountable).each(['full', 'read-only'])(
    '%s for a while, every invariant holds afterwards',
    async (kind) => {
      const script = ['--import', 'tsx', 'scripts/torture.ts', '--only', kind, '--runs', '2', '--seed', `${SEED}`];
      const { stdout } = await run(process.execPath, [...script, '--shrink-seconds', '0'], { cwd: root }).catch(
        (error: { readonly stdout: string }) => error,
      );
      expect(/2 cases in .*, 0 failed/.test(stdout), stdout).toBe(true);
    },
  );
});
