import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeTempDir, remove, runCommand } from '../../../platform/index.ts';

export interface Daemon {
  /** Its socket, as `DOCKER_HOST` takes it. */
  readonly address: string;
  stop(): Promise<void>;
}

const PATIENCE_MS = 300_000;
/** Where Debian puts them, ahead of anything else that is called `docker` on this machine. */
const PATH = `/usr/sbin:/usr/bin:/sbin:/bin:${process.env['PATH']}`;

/** A Docker of its own: nothing of this machine's is touched. As root only. */
export async function startDockerd(): Promise<Daemon> {
  const place = await makeTempDir('ralph-dockerd-');
  const address = `unix://${join(place, 's')}`;
  const folders = ['--data-root', join(place, 'data'), '--exec-root', join(place, 'exec')];
  const network = ['--bridge', 'none', '--iptables=false', '--ip6tables=false'];
  const limits = ['--default-ulimit', 'nofile=10000:10000'];
  const args = [...folders, ...network, ...limits, '-H', address, '--pidfile', join(place, 'pid')];
  const over = new AbortController();
  let ended = false;
  const options = { cwd: '/', env: { ...process.env, PATH }, signal: over.signal, maxBytes: 1000 };
  const daemon = runCommand('dockerd', args, options).finally(() => {
    ended = true;
  });
  const stop = async () => {
    over.abort();
    await daemon.catch(() => {});
    await remove(place);
  };

  const env = { PATH, DOCKER_HOST: address };
  for (const deadline = Date.now() + PATIENCE_MS; ; await wait(200)) {
    const { exitCode } = await runCommand('docker', ['version'], { cwd: '/', env, timeoutMs: 60_000 });
    if (exitCode === 0) return { address, stop };
    if (ended || Date.now() > deadline) {
      await stop();
      throw new Error(`dockerd does not start here: ${(await daemon).stderr.toString('utf8')}`);
    }
  }
}
