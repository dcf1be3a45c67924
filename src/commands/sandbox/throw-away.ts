import { join } from 'node:path';
import { openGit } from '../../adapters/git/index.ts';
import { initRepository } from '../../adapters/git/init.ts';
import type { Checkpoint } from '../../adapters/git/port.ts';
import type { BatteryControl, BatteryRepository } from '../../adapters/isolation/battery/scene.ts';
import { exists, remove } from '../../platform/files/files.ts';
import { startControlServer } from '../../surfaces/server/start.ts';

const NAME = 'battery';

/** The loop's own git at the throw-away project of a battery, with all that it does after an agent. */
export async function throwAwayRepository(root: string, covers: boolean): Promise<BatteryRepository> {
  // Also where an earlier attempt got at it.
  if (!(await exists(join(root, '.git', 'HEAD')))) {
    await remove(join(root, '.git'));
    await initRepository(root, 'start');
  }
  const git = await openGit(root);
  const trust = covers ? null : await git.snapshotTrust();
  let checkpoint: Checkpoint | null = null;
  return {
    async guest() {
      checkpoint = await git.checkpoint(NAME);
      return covers ? (await git.openGuest(NAME)).mounts : [];
    },
    async afterwards() {
      if (checkpoint === null) return;
      if (trust !== null) await git.restoreTrust(trust);
      const { changed } = await git.after(checkpoint);
      await git.adoptGuest({ name: NAME, run: NAME, iteration: 1, checkpoint });
      await git.prepareCommit({
        checkpoint,
        paths: changed.map(({ path }) => path),
        files: {},
        subject: 'what an agent did',
        body: '',
        trailers: [],
        date: Date.UTC(2026, 0, 1),
        hooks: true,
        // They would run inside.
        runHook: async () => ({ exitCode: 0, output: '' }),
        guestHooks: covers,
        sign: false,
      });
      await git.rollback(checkpoint);
    },
  };
}

/** A real control server with an agent admitted, and the operator's file where it always is. */
export async function throwAwayControl(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BatteryControl> {
  const server = await startControlServer({ run: `${NAME}-${process.pid}`, root, env });
  const { token } = server.admit({
    hook: async () => ({}),
    hookFailed: () => {},
    tools: [],
    tool: async () => ({ text: '', isError: true }),
  });
  return { url: server.url, token, close: () => server.close() };
}
