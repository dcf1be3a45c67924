import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { makeDir, makeTempDir, remove } from '../../../platform/files/files.ts';
import { join as joinStreams } from '../gateway/join.ts';
import { openGateway } from '../gateway/open.ts';
import type { InsideCommand, IsolationInput, IsolationRun, WrappedCommand } from '../port.ts';
import { withHome } from '../with-home.ts';
import { environmentInside } from './environment.ts';
import { insideScript } from './inside-script.ts';
import { basePlaces, placesFor } from './places.ts';
import { srtSettings } from './settings.ts';

/** What stands as long as a run does. */
export interface Session {
  wrap(command: InsideCommand): Promise<WrappedCommand>;
  close(): Promise<void>;
}

/** Opens the way out, and a folder for settings and temporary files. @param srt its program */
export async function openSession(srt: string, input: IsolationInput, run: IsolationRun): Promise<Session> {
  const { policy, env } = input;
  const folder = await makeTempDir('ralph-srt-');
  const temp = join(folder, 'tmp');
  // srt's own sockets, which the inside has to see: the system's temp folder is hidden.
  const own = join(folder, 'srt');
  for (const each of [temp, own]) await makeDir(each);
  const ports = [...new Set([...policy.localPorts, ...run.localPorts])];
  const gateway = await openGateway({ hosts: policy.hosts, ports, env, onRefusal: run.onRefusal });
  const front = await openFront(join(gateway.sockets, 'egress.sock'));
  const linux = process.platform === 'linux';
  const read = [...policy.read, own, ...(linux ? [gateway.sockets] : [])];
  const base = await basePlaces({ ...input, policy: { ...policy, read } }, temp);
  const ways = { proxy: front.port, control: run.localPorts[0] ?? null };
  let wraps = 0;

  return {
    wrap: withHome(input, async (home, command) => {
      wraps += 1;
      const file = join(folder, `settings-${wraps}.json`);
      const places = await placesFor(base, home, command);
      const settings = srtSettings(places, policy, ways, process.platform);
      await writeAtomic(file, JSON.stringify(settings), { fsync: false, mode: 0o600 });
      const relays = { folder: gateway.sockets, ports: linux ? ports : [] };
      const script = insideScript({ platform: process.platform, proxy: front.port, temp, relays });
      return {
        file: srt,
        args: ['--settings', file, '--', '/bin/sh', '-c', script, 'sh', command.file, ...command.args],
        cwd: command.cwd,
        env: { ...environmentInside(command.env, base, home, places), TMPDIR: own },
        end: () => remove(file).catch(() => {}),
      };
    }),
    close: async () => {
      await front.close();
      await gateway.close();
      await remove(folder).catch(() => {});
    },
  };
}

/** The egress proxy at a port of the loopback, which is all that srt can let out. */
async function openFront(socket: string): Promise<{ readonly port: number; close(): Promise<void> }> {
  const open = new Set<{ destroy(): void }>();
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path: socket, allowHalfOpen: true });
    for (const each of [client, proxy]) {
      open.add(each);
      each.once('close', () => open.delete(each));
    }
    joinStreams(client, proxy);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const each of open) each.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
