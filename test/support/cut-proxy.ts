import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a program and a server on loopback, and can be cut like a network. */
export interface CutProxy {
  readonly port: number;
  /** From now on nothing passes, in either direction, and nobody is told. */
  cut(): void;
  fix(): void;
  close(): Promise<void>;
}

/** @param target port of the server, on 127.0.0.1 */
export async function startCutProxy(target: number): Promise<CutProxy> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    from.on('data', (chunk: Buffer) => to.write(chunk));
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    join(client, upstream);
    join(upstream, client);
    if (isCut) for (const socket of [client, upstream]) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    fix() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
