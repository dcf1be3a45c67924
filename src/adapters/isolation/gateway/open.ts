import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { chmod, makeSocketFolder, remove } from '../../../platform/index.ts';
import { parseHostPattern } from '../../../rules/isolation/index.ts';
import type { Refusal } from '../port.ts';
import { egressServer } from './egress.ts';
import { localPortServer } from './sockets.ts';

interface GatewayInput {
  /** Entries of the allow-list, as in `Policy.hosts`; invalid ones are ignored. */
  readonly hosts: readonly string[];
  /** Ports of this machine's loopback that are shared. */
  readonly ports: readonly number[];
  /** The user's environment: names the proxy between this machine and the network. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives every refused connection. Must not throw. */
  readonly onRefusal: (refusal: Refusal) => void;
}

/** The only way out of a sandbox without a network. */
export interface Gateway {
  /** Private folder with `egress.sock`, an HTTP proxy, and `<port>.sock` for every shared port. */
  readonly sockets: string;
  /** Ends every connection and removes the folder. Never rejects; a second call is fine. */
  close(): Promise<void>;
}

/** Opens the sockets. @throws Error where a socket cannot be made */
export async function openGateway({ hosts, ports, env, onRefusal }: GatewayInput): Promise<Gateway> {
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const sockets = await makeSocketFolder('ralph-gw-');
  const servers: readonly (readonly [name: string, server: Server])[] = [
    ['egress', egressServer({ patterns, env, onRefusal })],
    ...[...new Set(ports)].map((port) => [String(port), localPortServer(port)] as const),
  ];
  const connections = new Set<Socket>();
  const close = async () => {
    const closed = servers.map(([, server]) => closeServer(server));
    for (const connection of connections) connection.destroy();
    await Promise.all(closed);
    await remove(sockets).catch(() => {});
  };

  try {
    for (const [name, server] of servers) {
      server.on('connection', (connection: Socket) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
      });
      await listen(server, join(sockets, `${name}.sock`));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { sockets, close };
}

async function listen(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, 'listening');
  // A container may run as another user; the folder keeps all other users out.
  await chmod(path, 0o666);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
