import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from './join.ts';

/** At a time; what runs inside must not use up the files that the run may open. */
const CONNECTIONS = 256;

/** A server that carries every connection to a port of the loopback: IPv4 first, IPv6 where nobody listens there. */
export function localPortServer(port: number): Server {
  const server = createServer({ allowHalfOpen: true }, (client) => void carry(client, port));
  server.maxConnections = CONNECTIONS;
  return server;
}

async function carry(client: Socket, port: number): Promise<void> {
  client.on('error', () => client.destroy());
  const upstream = (await tryConnect('127.0.0.1', port)) ?? (await tryConnect('::1', port));
  if (upstream === null) return void client.destroy();
  join(client, upstream);
}

/** Null when nobody listens there. The host is an address, never a name. */
export function tryConnect(address: string, port: number, timeoutMs = 10_000): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, keepAlive: true });
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => resolve(null));
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once('close', () => clearTimeout(timer));
  });
}
