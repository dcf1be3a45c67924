import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { chmod, makeSocketFolder, remove } from '../../../platform/index.ts';
import { parseHostPattern } from '../../../rules/isolation/index.ts';
import type { IsolationInput, IsolationRun, Policy } from '../port.ts';
import { egressServer } from './egress.ts';
import { localPortServer } from './sockets.ts';

/** The only way out of a sandbox without a network. */
export interface Gateway {
  /** Private folder with `egress.sock`, an HTTP proxy, and `<port>.sock` for every shared port. */
  readonly sockets: string;
  /** Ports of this machine's loopback that are shared. */
  readonly ports: readonly number[];
  /** Of the proxy on the loopback; 0 without one. */
  readonly port: number;
  /** Ends every connection and removes the folder. Never rejects; a second call is fine. */
  close(): Promise<void>;
}

/**
 * Opens the sockets.
 * @param input invalid hosts are ignored; `env` names the proxy between this machine and the network
 * @param onLoopback the proxy listens on a free port of the loopback too
 * @throws Error where a socket cannot be made
 */
export async function openGateway(
  { policy, env }: { readonly policy: Pick<Policy, 'hosts' | 'localPorts'>; readonly env: IsolationInput['env'] },
  { localPorts, onRefusal }: Omit<IsolationRun, 'run'>,
  onLoopback = false,
): Promise<Gateway> {
  const patterns = policy.hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const ports = [...new Set([...policy.localPorts, ...localPorts])];
  const sockets = await makeSocketFolder('ralph-gw-');
  const proxy = () => egressServer({ patterns, env, onRefusal });
  const servers: readonly (readonly [server: Server, name: string | null])[] = [
    ...(onLoopback ? [[proxy(), null] as const] : []),
    [proxy(), 'egress'],
    ...ports.map((port) => [localPortServer(port), String(port)] as const),
  ];
  const connections = new Set<Socket>();
  const close = async () => {
    const closed = servers.map(([server]) => closeServer(server));
    for (const connection of connections) connection.destroy();
    await Promise.all(closed);
    await remove(sockets).catch(() => {});
  };

  try {
    for (const [server, name] of servers) {
      server.on('connection', (connection: Socket) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
      });
      await listen(server, name === null ? null : join(sockets, `${name}.sock`));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const address = onLoopback ? servers[0]?.[0].address() : null;
  return { sockets, ports, port: typeof address === 'object' && address ? address.port : 0, close };
}

/** @param path null for a port of the loopback */
async function listen(server: Server, path: string | null): Promise<void> {
  server.listen(path === null ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  if (path === null) return;
  // A container may run as another user; the folder keeps all other users out.
  await chmod(path, 0o666);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
